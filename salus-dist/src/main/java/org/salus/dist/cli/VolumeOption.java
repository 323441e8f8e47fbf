package org.salus.dist.cli;

import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A volume as the command line names it: {@code NAME:SIZE[:BLOCKSIZE]}. Checked: a volume can be
 * made of it.
 *
 * @param size bytes, a whole number of blocks
 * @param blockSize bytes
 */
public record VolumeOption(String name, long size, int blockSize) {
  /** For the help of every command that takes such an option. */
  static final String HELP =
      Sizes.HELP + " The size of a volume with a unit is rounded up to whole blocks.";

  private static final String DEFAULT_BLOCK = "4K";

  public VolumeOption {
    if (blockSize < VolumeSpec.MIN_BLOCK
        || blockSize > VolumeSpec.MAX_BLOCK
        || Integer.bitCount(blockSize) != 1) {
      throw new IllegalArgumentException(
          "block size "
              + Sizes.format(blockSize)
              + ": use a power of two from "
              + Sizes.format(VolumeSpec.MIN_BLOCK)
              + " to "
              + Sizes.format(VolumeSpec.MAX_BLOCK));
    }
    if (size < blockSize || size > VolumeSpec.MAX_BYTES) {
      throw new IllegalArgumentException(
          "size "
              + Sizes.format(size)
              + ": use "
              + Sizes.format(blockSize)
              + " to "
              + Sizes.format(VolumeSpec.MAX_BYTES));
    }
    if (size % blockSize != 0) {
      throw new IllegalArgumentException(
          "size "
              + Sizes.format(size)
              + ": use a multiple of the block size "
              + Sizes.format(blockSize));
    }
    // Checks the name as the volume itself will.
    new VolumeSpec(name, 0, blockSize, size / blockSize, 1, false, VolumeSpec.MAX_SEGMENT);
  }

  /**
   * Reads the option. A size with a unit, such as 500MB, is rounded up to whole blocks; a number of
   * bytes must be a multiple of the block size. IllegalArgumentException with a one-line message
   * that says what to write instead.
   */
  public static VolumeOption parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length < 2 || parts.length > 3) {
      throw new IllegalArgumentException(
          "volume '" + text + "': write NAME:SIZE or NAME:SIZE:BLOCKSIZE, for example disk0:8G:4K");
    }
    int block =
        (int)
            Math.min(Sizes.parse(parts.length == 3 ? parts[2] : DEFAULT_BLOCK), Integer.MAX_VALUE);
    long size = Sizes.parse(parts[1]);
    boolean isRounded = Sizes.hasUnit(parts[1]) && block > 0 && size >= block;
    return new VolumeOption(parts[0], isRounded ? roundUp(size, block) : size, block);
  }

  /** Whole blocks; a size close to the largest number stays as it is, which is too large anyway. */
  private static long roundUp(long size, int block) {
    long rest = size % block;
    return rest == 0 || size > Long.MAX_VALUE - block ? size : size - rest + block;
  }

  /** Makes the volume, or checks that the one of this name is of the same shape. */
  void ensure(SalusClient client, boolean synced) {
    if (!client.list().contains(name)) {
      client.create(name, size, new SalusClient.CreateOptions(blockSize, synced, 0));
      return;
    }
    VolumeInfo there = client.info(name);
    if (there.size() != size || there.blockSize() != blockSize) {
      throw new IllegalArgumentException(
          "volume "
              + name
              + " is there with another shape: say --volume "
              + name
              + ":"
              + Sizes.format(there.size())
              + ":"
              + Sizes.format(there.blockSize())
              + ", or choose another name");
    }
  }

  @Override
  public String toString() {
    return name + ":" + Sizes.format(size) + ":" + Sizes.format(blockSize);
  }

  /** For picocli. */
  static final class Converter implements ITypeConverter<VolumeOption> {
    @Override
    public VolumeOption convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException nonsense) {
        throw new TypeConversionException(nonsense.getMessage());
      }
    }
  }
}
