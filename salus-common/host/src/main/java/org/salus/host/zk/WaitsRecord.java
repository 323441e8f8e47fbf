package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The requests that wait long, or lately have, at a server. Immutable.
 *
 * @param waits one for each region and cause, the longest waits first; {@value #MOST} at most
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WaitsRecord(List<Waits> waits) {
  /** Many more would not fit into a ZooKeeper node. */
  static final int MOST = 2000;

  /** What requests wait for. Each leads to other servers. */
  public enum Cause {
    /** A read that waits for the watermark: earlier writes are not committed yet. */
    WATERMARK,
    /**
     * A read that waits for a reader thread or for replicas: the member's own, or others if that is
     * bad. The NameNode says where they are.
     */
    DISK,
    /** A sub-batch that waits for the signatures of the members after this one in the chain. */
    CHAIN,
    /**
     * A sub-batch that the member may append, for which it has not asked its DataNode: the log
     * segment is not open yet. The NameNode and the DataNode open it.
     */
    OPEN,
    /** A sub-batch that the member's DataNode has been asked for and has not acknowledged yet. */
    APPEND;

    /** Whether reads wait for it, not sub-batches. */
    public boolean isOfReads() {
      return this == WATERMARK || this == DISK;
    }
  }

  /**
   * The requests at the member of one region that wait for the same.
   *
   * @param epoch the epoch in which the last of them was slow
   * @param awaited the servers that these wait for, or the DataNode; empty if it may be any
   * @param waiting the number of those that wait now; 0 if the oldest does not wait long
   * @param oldestMillis for how long the oldest of them has waited, in ms
   * @param slow how many have waited more than a second since the server began
   * @param lastSlow when one was last seen that had waited so long, in ms since 1970 by the clock
   *     of the server; 0 for never
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Waits(
      String volume,
      int region,
      int epoch,
      Cause cause,
      List<String> awaited,
      int waiting,
      long oldestMillis,
      long slow,
      long lastSlow) {
    /** Anybody may have written it. */
    public Waits {
      Objects.requireNonNull(volume);
      Objects.requireNonNull(cause);
      awaited = List.copyOf(awaited);
    }
  }

  /** Keeps the longest waits. */
  public WaitsRecord {
    waits =
        waits.stream()
            .map(Objects::requireNonNull) // anybody may have written it
            .sorted(
                Comparator.comparing(Waits::oldestMillis).thenComparing(Waits::lastSlow).reversed())
            .limit(MOST)
            .toList();
  }
}
