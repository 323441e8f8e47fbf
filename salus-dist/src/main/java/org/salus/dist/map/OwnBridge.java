package org.salus.dist.map;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.salus.dist.hbase.DaemonProcess;

/** A bridge for one volume that {@code salus map} starts and stops. Not thread-safe. */
final class OwnBridge {
  private static final int LAST_LINES = 5;
  private static final String REQUEST_TIMEOUT = "salus.client.request.timeout=";

  private final Mapping mapping;
  private final DaemonProcess process;

  /**
   * @param dir where its pid, its output and its log are
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
          "the bridge of "
              + mapping.volume()
              + (pid().isPresent() ? " is not ready yet:" : " does not start:")
              + lastLines(failed),
          failed);
    }
  }

  /**
   * Sees to it that it serves a device that is attached. One that is still starting is waited for:
   * it may wait for its cluster. One that has ended, or has given no sign for long, is started
   * again.
   *
   * @param device the device's file
   * @param deafAfter how long it may give no sign
   * @param notes takes sentences that the user should know
   * @throws IOException when it cannot serve the volume, with the way out
   */
  void serveAgain(Path device, Duration deafAfter, Consumer<String> notes) throws IOException {
    process.awaitEnd();
    if (pid().isPresent() && hasBegunToServe()) {
      Optional<BridgeProbe.Complaint> complaint =
          mapping.bridge().lastingComplaint(mapping.volume(), deafAfter);
      if (complaint.isEmpty()) {
        return;
      }
      requireVolume(device, complaint.get());
      notes.accept(
          "the bridge of "
              + mapping.volume()
              + " has not served for "
              + deafAfter.toSeconds()
              + " s ("
              + complaint.get().why()
              + "); it is stopped, and started again");
      process.stop();
    }
    try {
      start();
    } catch (IOException refused) {
      throw new IOException(
          refused.getMessage()
              + "\n"
              + device
              + " waits for it. 'salus unmap "
              + mapping.volume()
              + " --force' detaches it instead: what is not written out is lost",
          refused);
    }
    notes.accept("the bridge of " + mapping.volume() + " had ended, and serves again");
  }

  /** If what it has printed is gone, it began long ago. */
  private boolean hasBegunToServe() throws IOException {
    return !Files.exists(process.output()) || !process.ready().isEmpty();
  }

  /** One that answers, and yet cannot serve its volume, could not do so anew either. */
  private void requireVolume(Path device, BridgeProbe.Complaint complaint) throws IOException {
    if (complaint.hasNoVolume()) {
      throw new IOException(
          "the bridge of "
              + mapping.volume()
              + " cannot serve it any more, so all requests of "
              + device
              + " fail: "
              + complaint.why()
              + ". Run 'salus unmap "
              + mapping.volume()
              + " --force', map it anew, and check what is on it");
    }
  }

  private String lastLines(IOException failed) throws IOException {
    List<String> lines =
        process.said().filter(l -> !l.isBlank() && !l.equals(DaemonProcess.ENDING)).toList();
    String printed =
        lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
            .map(l -> "\n  " + l.replaceFirst("^salus: ", ""))
            .collect(Collectors.joining());
    // What it waits for is in its log, and so in the failure.
    return printed.isEmpty() || pid().isPresent()
        ? printed + "\n  " + failed.getMessage()
        : printed;
  }

  /** Stops it if it runs, and removes its files. */
  void remove() throws IOException {
    process.stop();
    Files.deleteIfExists(mapping.bridge().socket());
    process.deleteOutput();
  }
}
