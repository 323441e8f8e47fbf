package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The process that made a network. Its start time tells it from other processes with the same pid.
 * The names of its namespaces begin with it.
 *
 * @param started in the kernel's ticks since the computer's start
 */
record NetworkOwner(long pid, long started) {
  private static final Pattern NAMESPACE = Pattern.compile("salus-(\\d{1,18})-(\\d{1,18})-\\w+");

  /** Index of the start time among the fields after the process's name; see proc(5). */
  private static final int STARTED = 19;

  static NetworkOwner self() throws IOException {
    long pid = ProcessHandle.current().pid();
    return new NetworkOwner(
        pid, started(pid).orElseThrow(() -> new IOException("/proc does not show this process")));
  }

  /** The owner of a namespace; empty if its name is not one of ours. */
  static Optional<NetworkOwner> of(String namespace) {
    Matcher m = NAMESPACE.matcher(namespace);
    return m.matches()
        ? Optional.of(new NetworkOwner(Long.parseLong(m.group(1)), Long.parseLong(m.group(2))))
        : Optional.empty();
  }

  /** What the names of its namespaces begin with. */
  String prefix() {
    return "salus-" + pid + "-" + started + "-";
  }

  boolean isAlive() throws IOException {
    return started(pid).filter(s -> s == started).isPresent();
  }

  private static Optional<Long> started(long pid) throws IOException {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return Optional.of(
          Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[STARTED]));
    } catch (NoSuchFileException gone) {
      return Optional.empty();
    }
  }
}
