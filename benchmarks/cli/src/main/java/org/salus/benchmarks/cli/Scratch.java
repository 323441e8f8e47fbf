package org.salus.benchmarks.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** An empty directory whose content goes away on {@link #close}. Thread-safe. */
public final class Scratch implements AutoCloseable {
  private static final int TRIES = 100;

  private final Path dir;
  private final boolean made;

  private Scratch(Path dir, boolean made) {
    this.dir = dir;
    this.made = made;
  }

  /**
   * @param chosen a directory that is empty or does not exist, or null for a temporary one
   * @throws IOException when it is no such directory; the message says what to do
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
          throw new IOException(
              "directory " + dir + " is not empty; choose another one with --data");
        }
      }
      return new Scratch(dir, made);
    } catch (FileSystemException failed) {
      throw new IOException(
          "directory "
              + dir
              + " cannot be used ("
              + failed.getMessage()
              + "); choose another one with --data",
          failed);
    }
  }

  public Path path() {
    return dir;
  }

  /** Deletes the content, and the directory itself if it did not exist before. Idempotent. */
  @Override
  public synchronized void close() throws IOException {
    for (int left = TRIES; Files.exists(dir); left--) {
      try {
        deleteAll();
        return;
      } catch (DirectoryNotEmptyException | NoSuchFileException changed) {
        // Threads of a cluster that was cut off still make and delete files for a moment.
        if (left == 0) {
          throw changed;
        }
      }
    }
  }

  private void deleteAll() throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(dir)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    }
    for (Path path : all) {
      if (made || !path.equals(dir)) {
        Files.deleteIfExists(path);
      }
    }
  }
}
