package org.salus.dist.cli;

import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A volume as the command line writes it: {@code NAME:SIZE[:BLOCKSIZE]}. A volume can be created
 * with these values. Immutable.
 *
 * @param name the volume's name
 * @param size in bytes, a whole number of blocks
 * @param blockSize in bytes
 */
public record VolumeOption(String name, long size, int blockSize) {
  /** Explains sizes of volumes in the help of every command that takes one. */
  static final String HELP =
      Sizes.HELP + " A volume's size with a unit is rounded up to whole blocks.";

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
    // The constructor checks the name.
    new VolumeSpec(name, 0, blockSize, size / blockSize, 1, false, VolumeSpec.MAX_SEGMENT);
  }

  /**
   * Parses the option. Rounds a size with a unit, such as 500MB, up to whole blocks. A number of
   * bytes must be a multiple of the block size.
   *
   * @throws IllegalArgumentException when the text is invalid; its one-line message says what to
   *     write instead
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

  /**
   * Rounds up to whole blocks. A size close to the largest number stays, since it is too large
   * anyway.
   */
  private static long roundUp(long size, int block) {
    long rest = size % block;
    return rest == 0 || size > Long.MAX_VALUE - block ? size : size - rest + block;
  }

  /** Creates the volume, or checks that the existing one has the same size and block size. */
  void ensure(SalusClient client, boolean synced) {
    if (!client.list().contains(name)) {
      client.create(name, size, new SalusClient.CreateOptions(blockSize, synced, 0));
      return;
    }
    VolumeInfo.Shape there = client.info(name).shape();
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

  /** Parses volumes for picocli. */
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
