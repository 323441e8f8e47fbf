package org.salus.dist.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** The files in which DataNodes keep their replicas. */
final class BlockFiles {
  private static final int BLOCK = 4096;
  private static final int TRIES = 20;

  private BlockFiles() {
  }

  /**
   * Flips a byte of a volume's block in the first replica found of a file that begins with this; returns the block.
   *
   * @param content of the volume
   */
  static int flip(Path dir, byte[] content, int block, String magic) throws IOException {
    for (int left = TRIES; left > 0; left--) {
      try {
        return flipFirst(dir, content, block, magic);
      } catch (NoSuchFileException | UncheckedIOException moved) {
        continue; // by its DataNode, while the others were read
      }
    }
    throw new IOException("the replicas below " + dir + " are moved all the time");
  }

  private static int flipFirst(Path dir, byte[] content, int block, String magic) throws IOException {
    byte[] wanted = Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK);
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.filter(f -> f.getFileName().toString().matches("blk_\\d+")).sorted().toList()) {
        byte[] bytes = Files.readAllBytes(file);
        boolean isKind = new String(bytes, 0, Math.min(bytes.length, magic.length()), StandardCharsets.ISO_8859_1).equals(magic);
        for (int at = 0; isKind && at + BLOCK <= bytes.length; at++) {
          if (bytes[at] == wanted[0] && Arrays.equals(bytes, at, at + BLOCK, wanted, 0, BLOCK)) {
            try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
              f.seek(at + 99);
              f.write(bytes[at + 99] ^ 0x40);
            }
            return block;
          }
        }
      }
    }
    throw new IOException("no replica has block " + block);
  }
}
