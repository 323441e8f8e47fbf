package org.salus.benchmarks.faulty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.salus.regionserver.RegionServerHost;

/**
 * Switches faults on and off in faulty region servers, for one store (a volume or a table) at a
 * time. The switches are files in a directory that all these servers read. Thread-safe for
 * different stores.
 */
public final class FaultSwitches {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path dir;

  private FaultSwitches(Path dir) {
    this.dir = dir;
  }

  /**
   * @param dir made if it does not exist; faults that it already has stay switched on
   */
  public static FaultSwitches in(Path dir) throws IOException {
    Files.createDirectories(dir.resolve("on"));
    return new FaultSwitches(dir.toAbsolutePath());
  }

  /** Settings with which region servers must be started, so that they read the switches. */
  public Map<String, String> settings() {
    return Map.of(
        RegionServerHost.CLASS_KEY, FaultyEngine.class.getName(), Control.DIR_KEY, dir.toString());
  }

  /**
   * Switches a fault on, and returns when the server has read it.
   *
   * @param node the server's name in the cluster
   */
  public void tell(String store, String node, ServerFault fault) throws IOException {
    switchOn(store, node, fault);
    if (!ClusterWait.until(PATIENCE, () -> hasRead(store, node, fault))) {
      throw new IOException(node + " did not read its fault in time: " + fault.name());
    }
  }

  /**
   * Switches a fault on. The server reads it within milliseconds; one that does not run, when it
   * starts.
   */
  public void switchOn(String store, String node, ServerFault fault) throws IOException {
    String name = name(store, node, fault);
    Files.deleteIfExists(dir.resolve("seen").resolve(name)); // of the last time
    Files.createFile(dir.resolve("on").resolve(name));
  }

  /** Whether the server has read the fault that was switched on last. */
  public boolean hasRead(String store, String node, ServerFault fault) {
    return Files.exists(dir.resolve("seen").resolve(name(store, node, fault)));
  }

  private static String name(String store, String node, ServerFault fault) {
    return store + "@" + node + "@" + fault.name();
  }

  /** Switches all faults of a store off; servers notice it within milliseconds. */
  public void clear(String store) throws IOException {
    for (Path on : switchedOn(store)) {
      Files.delete(on);
    }
  }

  /** Whether a server has done one of the faults that are on for a store; true if none is on. */
  public boolean wasDone(String store) throws IOException {
    List<Path> told = switchedOn(store);
    return told.isEmpty()
        || told.stream()
            .anyMatch(on -> Files.exists(dir.resolve("done").resolve(on.getFileName())));
  }

  private List<Path> switchedOn(String store) throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve("on"))) {
      return files
          .filter(f -> f.getFileName().toString().startsWith(store + "@"))
          .sorted()
          .toList();
    }
  }
}
