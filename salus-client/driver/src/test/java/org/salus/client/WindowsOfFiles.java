package org.salus.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.salus.client.nio.VolumeChannel;

/** Gives each file of a disk a window of a volume, for its bytes. Thread-safe. */
final class WindowsOfFiles {
  private final Volume volume;
  private final long longest;

  /** Where they begin, by the names of the files: one file has paths of several file systems. */
  private final Map<String, Long> begins = new HashMap<>();

  private final Deque<Long> free = new ArrayDeque<>();

  /**
   * @param longest bytes of a file
   */
  WindowsOfFiles(Volume volume, long longest) {
    this.volume = volume;
    this.longest = longest;
    // The first one lies across blocks.
    for (long begin = 100; begin + longest <= volume.size(); begin += longest) {
      free.add(begin);
    }
  }

  long longest() {
    return longest;
  }

  private static String name(Path file) {
    return file.toAbsolutePath().toString();
  }

  synchronized VolumeChannel open(Path file, long size) throws IOException {
    Long begin = begins.get(name(file));
    if (begin == null) {
      if (free.isEmpty()) {
        forgetThoseThatOthersDeleted();
      }
      begin = free.poll();
      if (begin == null) {
        throw new IOException("the volume has no window for " + file);
      }
      begins.put(name(file), begin);
    }
    return new VolumeChannel(volume, begin, size);
  }

  private void forgetThoseThatOthersDeleted() {
    for (String file : List.copyOf(begins.keySet())) {
      if (Files.notExists(Path.of(file))) {
        free.add(begins.remove(file));
      }
    }
  }

  synchronized void forget(Path file) {
    Long begin = begins.remove(name(file));
    if (begin != null) {
      free.add(begin);
    }
  }

  synchronized void move(Path from, Path to) {
    forget(to);
    Long begin = begins.remove(name(from));
    if (begin != null) {
      begins.put(name(to), begin);
    }
  }
}
