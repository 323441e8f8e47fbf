package org.salus.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/**
 * Replaces files as a whole. After a power cut the file has its whole old content or its whole new
 * content. Thread-safe for different files.
 */
public final class DurableFile {
  private DurableFile() {}

  /**
   * Replaces a file's content. Returns when the new content is on disk. Only one caller at a time
   * may write a file.
   */
  public static void write(Path file, byte[] content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel to =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer all = ByteBuffer.wrap(content);
      while (all.hasRemaining()) {
        to.write(all);
      }
      to.force(true);
    }
    rename(next, file);
  }

  /**
   * Syncs everything below a directory, then renames it. Returns when the new name is on disk, too.
   *
   * @param to the new name; must not exist or be an empty directory
   */
  public static void move(Path directory, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        sync(path);
      }
    }
    rename(directory, to);
  }

  /** Renames a file or directory, over another file. Returns when the new name is on disk. */
  public static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(to.toAbsolutePath().getParent()); // the parent holds the name
  }

  /** Returns when a file's content, or the names in a directory, are on disk. */
  public static void sync(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      file.force(true);
    }
  }
}
