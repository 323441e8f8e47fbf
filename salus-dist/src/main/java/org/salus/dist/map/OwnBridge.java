package org.salus.dist.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.salus.dist.hbase.DaemonProcess;

/** A bridge for one volume that {@code salus map} starts and stops. Not thread-safe. */
final class OwnBridge {
  private static final int LAST_LINES = 5;

  private final String volume;
  private final Path socket;
  private final DaemonProcess process;

  /**
   * @param dir where its pid and its output are
   * @param on a command that runs the rest of its line
   * @param arguments the arguments of {@code salus nbd} after the volume and the socket; not used
   *     where it is only stopped
   */
  OwnBridge(Path dir, Path socket, String volume, List<String> on, List<String> arguments) {
    this.volume = volume;
    this.socket = socket;
    this.process = DaemonProcess.bridge(dir, volume, on, socket, arguments);
  }

  OptionalLong pid() throws IOException {
    return process.process().map(p -> OptionalLong.of(p.pid())).orElse(OptionalLong.empty());
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @throws IOException when it ends instead; with the last lines that it printed
   */
  void start() throws IOException {
    process.awaitEnd();
    process.start();
    try {
      process.awaitReady();
    } catch (IOException failed) {
      throw new IOException(
          "the bridge of " + volume + " does not start:" + lastLines(failed), failed);
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

  /** Stops it if it runs, and removes its files. */
  void remove() throws IOException {
    process.stop();
    Files.deleteIfExists(socket);
    Files.deleteIfExists(process.output());
  }
}
