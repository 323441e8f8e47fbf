package org.salus.dist.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A new directory for temporary files. Closing deletes it with all that is in it.
 *
 * @param path the directory
 */
public record TemporaryDirectory(Path path) implements AutoCloseable {

  /** Makes one whose name begins with {@code prefix}. */
  public static TemporaryDirectory create(String prefix) throws IOException {
    return new TemporaryDirectory(Files.createTempDirectory(prefix));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
