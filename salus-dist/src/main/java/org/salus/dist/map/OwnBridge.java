package org.salus.dist.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.salus.dist.hbase.DaemonProcess;

/** A bridge for one volume that {@code salus map} starts and stops. Not thread-safe. */
final class OwnBridge {
  private static final int LAST_LINES = 5;
  private static final String REQUEST_TIMEOUT = "salus.client.request.timeout=";

  private final Mapping mapping;
  private final DaemonProcess process;

  /**
   * @param dir where its pid and its output are
   * @param on a command that runs the rest of its line
   * @param lastMount the file that keeps it from serving what somebody else has written to since
   * @param force whether it takes the volume over
   */
  OwnBridge(Path dir, Mapping mapping, List<String> on, Path lastMount, boolean force) {
    this.mapping = mapping;
    List<String> options = new ArrayList<>(mapping.arguments());
    options.addAll(List.of("--one-client", "--last-mount", lastMount.toString()));
    if (mapping.attached()) {
      options.add("--require-last-mount"); // the device may hold what relies on it
    }
    if (mapping.arguments().stream().noneMatch(a -> a.startsWith(REQUEST_TIMEOUT))) {
      // A cluster that is away is waited for as long as a bridge.
      options.addAll(List.of("-D", REQUEST_TIMEOUT + mapping.timeout() + "s"));
    }
    if (force) {
      options.add("--force");
    }
    this.process =
        DaemonProcess.bridge(dir, mapping.volume(), on, mapping.bridge().socket(), options);
  }

  OptionalLong pid() throws IOException {
    return process.process().map(p -> OptionalLong.of(p.pid())).orElse(OptionalLong.empty());
  }

  /** Waits for its end if it has begun to end. */
  void awaitEnd() throws IOException {
    process.awaitEnd();
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @throws IOException when it ends instead; with the last lines that it printed
   */
  void start() throws IOException {
    process.start();
    try {
      process.awaitReady();
    } catch (IOException failed) {
      throw new IOException(
          "the bridge of " + mapping.volume() + " does not start:" + lastLines(failed), failed);
    }
  }

  private String lastLines(IOException failed) throws IOException {
    List<String> lines =
        Files.readString(process.output(), StandardCharsets.ISO_8859_1)
            .lines()
            .filter(l -> !l.isBlank() && !l.equals(DaemonProcess.ENDING))
            .toList();
    return lines.isEmpty()
        ? " " + failed.getMessage()
        : lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
            .map(l -> "\n  " + l.replaceFirst("^salus: ", ""))
            .collect(Collectors.joining());
  }

  /** Stops it if it runs. */
  void stop() throws IOException {
    process.stop();
  }

  /** Stops it if it runs, and removes its files. */
  void remove() throws IOException {
    process.stop();
    Files.deleteIfExists(mapping.bridge().socket());
    Files.deleteIfExists(process.output());
  }
}
