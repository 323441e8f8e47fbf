package org.salus.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Files that are replaced as a whole: after a power cut there is what was before or what was made,
 * all of it.
 */
public final class DurableFile {
  private DurableFile() {}

  /** Returns when the new content is on disk. One caller a file at a time. */
  public static void write(Path file, byte[] content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel to =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer all = ByteBuffer.wrap(content);
      while (all.hasRemaining()) {
        to.write(all);
      }
      to.force(true);
    }
    rename(next, file);
  }

  /**
   * Gives a directory another name, when all that is below it is on disk; returns when the name is,
   * too.
   *
   * @param to not there, or an empty directory
   */
  public static void move(Path directory, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        sync(path);
      }
    }
    rename(directory, to);
  }

  private static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(to.toAbsolutePath().getParent()); // whose entry the name is
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      file.force(true);
    }
  }
}
