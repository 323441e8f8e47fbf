package org.salus.dist.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** An empty directory whose content goes away on {@link #close}. Thread-safe. */
public final class Scratch implements AutoCloseable {
  private final Path dir;
  private final boolean made;

  private Scratch(Path dir, boolean made) {
    this.dir = dir;
    this.made = made;
  }

  /**
   * @param chosen a directory that is empty or not there, or null for a temporary one
   * @throws IOException with what to do, when it is none
   */
  public static Scratch open(Path chosen) throws IOException {
    if (chosen == null) {
      return new Scratch(Files.createTempDirectory("salus-bench-"), true);
    }
    Path dir = chosen.toAbsolutePath().normalize();
    boolean made = !Files.exists(dir);
    try {
      Files.createDirectories(dir);
      try (Stream<Path> content = Files.list(dir)) {
        if (content.findAny().isPresent()) {
          throw new IOException("directory " + dir + " is not empty; choose another one with --data");
        }
      }
      return new Scratch(dir, made);
    } catch (java.nio.file.FileSystemException failed) {
      throw new IOException("directory " + dir + " cannot be used (" + failed.getMessage() + "); choose another one with --data", failed);
    }
  }

  public Path path() {
    return dir;
  }

  /** Deletes the content, and the directory itself where it was not there before. */
  @Override
  public synchronized void close() throws IOException {
    if (!Files.exists(dir)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> walk = Files.walk(dir)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException gone) {
      throw gone.getCause();
    }
    for (Path path : all) {
      if (made || !path.equals(dir)) {
        delete(path);
      }
    }
  }

  private static void delete(Path path) throws IOException {
    try {
      Files.deleteIfExists(path);
    } catch (NoSuchFileException gone) {
      // What else ends in this moment deletes its own files.
    }
  }
}
