package org.salus.client;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.salus.host.zk.WaitsRecord;
import org.salus.host.zk.WaitsRecord.Cause;

/**
 * The requests at a member that wait for the same, when the oldest has done so for more than a
 * second, or one has within the last ten minutes. Immutable.
 *
 * @param ageMillis how long ago its server has noted this, in ms, by the clock of ZooKeeper; -1 if
 *     that is unknown
 * @param cause what they wait for. Reads: {@code WATERMARK}, the commit of earlier writes, or
 *     {@code DISK}, replicas, first the member's own. Sub-batches of writes: {@code CHAIN}, the
 *     members after this one, {@code OPEN}, the opening of the log segment, or {@code APPEND}, the
 *     member's DataNode
 * @param awaited these members, or the member's DataNode; empty if it may be any server
 * @param waiting the number of those that wait
 * @param oldestMillis for how long the oldest of them has waited, in ms; 0 if none waits
 * @param slow how many have waited more than a second since the server began
 * @param lastSlow when one was last seen that had waited so long, by its server's clock, or null
 * @param epoch the epoch of that
 */
public record Wait(
    long ageMillis,
    String cause,
    List<String> awaited,
    int waiting,
    long oldestMillis,
    long slow,
    Instant lastSlow,
    int epoch) {

  static Wait of(WaitsRecord.Waits w, long ageMillis) {
    return new Wait(
        ageMillis,
        w.cause().name(),
        w.awaited(),
        w.waiting(),
        w.oldestMillis(),
        w.slow(),
        w.lastSlow() == 0 ? null : Instant.ofEpochMilli(w.lastSlow()),
        w.epoch());
  }

  /** Whether reads wait, not sub-batches of writes. */
  boolean isOfReads() {
    return Cause.valueOf(cause).isOfReads();
  }

  /** What several causes at one member are, in words; empty if there are none. */
  public static String words(List<Wait> waits) {
    return String.join(". ", waits.stream().map(Wait::words).toList());
  }

  /** What waits and for whom, and what was slow, in words. */
  public String words() {
    List<String> figures = new ArrayList<>();
    if (waiting > 0) {
      figures.add(
          waiting
              + " now, the oldest for "
              + seconds(oldestMillis)
              + (ageMillis < 0
                  ? ", noted at an unknown time"
                  : ", noted " + seconds(ageMillis) + " ago"));
    }
    if (slow > 0) {
      figures.add(slow + " slow, the last in epoch " + epoch + " at " + lastSlow);
    }
    String what = isOfReads() ? "reads" : "batches";
    return what + " that wait for " + whom() + ": " + String.join("; ", figures);
  }

  private static String seconds(long millis) {
    return millis / 1000 + " s";
  }

  private String whom() {
    String all = awaited.isEmpty() ? "an unknown server" : String.join(" or ", awaited);
    return switch (Cause.valueOf(cause)) {
      case WATERMARK -> "earlier writes";
      case CHAIN -> all;
      case DISK -> "DataNode " + all + ", or the NameNode or another replica";
      case OPEN -> "a log segment, which the NameNode and DataNode " + all + " open";
      case APPEND -> "DataNode " + all;
    };
  }
}
