package org.salus.common;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A small file that is replaced as a whole: after a power cut there is what it was before or what it was made, all of it. */
public final class DurableFile {
  private DurableFile() {}

  /** Returns when the new content is on disk. One caller a file at a time. */
  public static void write(Path file, byte[] content) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel to = FileChannel.open(next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
      ByteBuffer all = ByteBuffer.wrap(content);
      while (all.hasRemaining()) {
        to.write(all);
      }
      to.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    // The name is an entry of the directory, which has to be written as well.
    try (FileChannel directory = FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }
}
