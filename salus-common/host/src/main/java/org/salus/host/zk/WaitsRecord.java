package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The requests that wait, or have waited long, at a server's members. Immutable.
 *
 * @param members those members, the longest waits first; {@value #MOST} at most
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WaitsRecord(List<Waits> members) {
  /** Many more would not fit into a ZooKeeper node. */
  static final int MOST = 1000;

  /**
   * The requests at the member of one region.
   *
   * @param reads the number of reads that wait
   * @param batches the number of sub-batches that wait
   * @param oldestMillis for how long the oldest of them has waited, in ms
   * @param slow how many requests have waited more than a second since the member began
   * @param lastSlow when the last of these was found, in ms since 1970; 0 for never
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Waits(
      String volume,
      int region,
      int reads,
      int batches,
      long oldestMillis,
      long slow,
      long lastSlow) {}

  /** Keeps the longest waits. */
  public WaitsRecord {
    members =
        members.stream()
            .map(Objects::requireNonNull) // anybody may have written it
            .sorted(
                Comparator.comparing(Waits::oldestMillis).thenComparing(Waits::lastSlow).reversed())
            .limit(MOST)
            .toList();
  }
}
