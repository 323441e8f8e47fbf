package org.salus.benchmarks.faulty;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Tells region servers that run classes of the module salus-faulty to do wrong to a store (a volume
 * or a table), by files in a directory that all of them look into. Thread-safe for different
 * stores.
 */
public final class FaultSwitches {
  private static final String HOST_CLASS = "org.salus.benchmarks.faulty.FaultyEngine";
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path dir;

  private FaultSwitches(Path dir) {
    this.dir = dir;
  }

  /**
   * @param dir made when it is not there; what it has stays switched on
   */
  public static FaultSwitches in(Path dir) throws IOException {
    Files.createDirectories(dir.resolve("on"));
    return new FaultSwitches(dir.toAbsolutePath());
  }

  /** What region servers have to be started with. */
  public Map<String, String> settings() {
    return Map.of("salus.regionserver.host.class", HOST_CLASS, "salus.faulty.dir", dir.toString());
  }

  /**
   * Returns when the server knows.
   *
   * @param node the server's name in the cluster
   * @param fault a constant of the module's {@code ServerFault}
   */
  public void tell(String store, String node, Enum<?> fault) throws IOException {
    String name = store + "@" + node + "@" + fault.name();
    Path seen = dir.resolve("seen").resolve(name);
    Files.deleteIfExists(seen); // of the last time
    Files.createFile(dir.resolve("on").resolve(name));
    if (!ClusterWait.until(PATIENCE, () -> Files.exists(seen))) {
      throw new IOException(node + " does not take its fault " + fault.name());
    }
  }

  /** All servers do what is right for a store again, as soon as they know. */
  public void clear(String store) throws IOException {
    for (Path on : switchedOn(store)) {
      Files.delete(on);
    }
  }

  /** Whether any of the faults that were told towards a store was done, if there were any. */
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
