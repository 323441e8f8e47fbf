package org.salus.benchmarks.faults.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.salus.benchmarks.faulty.hdfs.BlockChecksums;

/** Ways in which a replica on a disk goes wrong. */
public enum ReplicaDamage {
  ZEROS("zeros"),
  JUNK("junk"),
  ONE_BIT("one bit"),
  MISDIRECTED("bytes of another file"),
  TRUNCATED("cut off"),
  GONE("file gone"),
  CHECKSUMS("junk in the DataNode's checksums");

  /** Where in the file the damage is. */
  public enum Place {
    HEAD,
    BODY,
    TAIL,
    END
  }

  private static final int LENGTH = 4096;
  private static final int FEW = 64;

  private final String label;

  ReplicaDamage(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }

  /** Whether the DataNode's checksums can be made to fit again. */
  public boolean canFit() {
    return this != GONE && this != CHECKSUMS;
  }

  /**
   * Damages a block file.
   *
   * @param other a file whose bytes may be taken
   * @param fit whether to make the DataNode's checksums fit the damaged file
   */
  public void apply(Path block, Path other, Place place, boolean fit) throws IOException {
    switch (this) {
      case GONE -> Files.delete(block);
      case CHECKSUMS -> spoil(BlockChecksums.file(block));
      case TRUNCATED -> truncate(block, at(Files.size(block), place));
      default -> alter(block, other, place);
    }
    if (fit) {
      BlockChecksums.fit(block);
    }
  }

  private static void spoil(Path checksums) throws IOException {
    int length = (int) Files.size(checksums) - BlockChecksums.HEADER;
    overwrite(checksums, BlockChecksums.HEADER, junk(length));
  }

  private void alter(Path block, Path other, Place place) throws IOException {
    byte[] all = Files.readAllBytes(block);
    int at = (int) at(all.length, place);
    byte[] was =
        Arrays.copyOfRange(
            all,
            at,
            Math.min(all.length, at + (place == Place.HEAD || place == Place.END ? FEW : LENGTH)));
    overwrite(
        block,
        at,
        switch (this) {
          case ZEROS -> new byte[was.length];
          case MISDIRECTED -> {
            byte[] theirs = Files.readAllBytes(other);
            int from = Math.min(at + FEW, Math.max(0, theirs.length - was.length));
            yield Arrays.copyOfRange(theirs, from, from + was.length);
          }
          case ONE_BIT -> flipped(was);
          default -> junk(was.length);
        });
  }

  private static long at(long size, Place place) {
    return switch (place) {
      case HEAD -> Math.min(size, FEW / 2);
      case BODY -> size / 2;
      case TAIL -> Math.max(0, size - 3L * LENGTH);
      case END -> Math.max(0, size - FEW);
    };
  }

  private static byte[] flipped(byte[] was) {
    byte[] now = was.clone();
    if (now.length > 0) {
      now[now.length / 2] ^= 1;
    }
    return now;
  }

  private static byte[] junk(int length) {
    byte[] bytes = new byte[Math.max(0, length)];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private static void overwrite(Path file, long at, byte[] bytes) throws IOException {
    try (FileChannel f = FileChannel.open(file, StandardOpenOption.WRITE)) {
      f.write(ByteBuffer.wrap(bytes), at);
    }
  }

  private static void truncate(Path file, long length) throws IOException {
    try (FileChannel f = FileChannel.open(file, StandardOpenOption.WRITE)) {
      f.truncate(length);
    }
  }
}
