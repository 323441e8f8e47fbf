package org.salus.core.session;

import java.util.TreeSet;
import org.salus.core.log.Durable;

/**
 * Tracks which regions hold PUTs that are not on disk, and when the session must flush by itself.
 * Members can put only what they know to be durable into checkpoints. The rest would be lost if the
 * power of every server failed.
 */
final class Durability {
  /**
   * The greatest time between syncs, in nanoseconds. A power cut of every server loses at most what
   * was written in it.
   */
  private static final long MOST_NANOS = 2_000_000_000L;

  /** The time without a write after which the regions are told what is durable, in nanoseconds. */
  private static final long IDLE_NANOS = 250_000_000L;

  private final SessionContext c;
  private final TreeSet<Integer> unsynced = new TreeSet<>();

  /** The seq of the last PUT, by region. */
  private final long[] last;

  /**
   * The seq up to which each region was told that everything is durable; -1 if it does not know of
   * the mounted prefix.
   */
  private final long[] told;

  private long bytes;
  private long syncedAt;
  private long sentAt;

  /**
   * Whether this mount has sent a batch. A mount that only reads adds nothing to the log: without
   * room, that would end it.
   */
  private boolean hasSent;

  Durability(SessionContext c) {
    this.c = c;
    this.last = new long[c.spec.regionCount()];
    this.told = new long[c.spec.regionCount()];
  }

  /**
   * Begins when the mount is done.
   *
   * @param mounted the prefix that the mount begins with, which is durable
   * @param known whether the regions know that
   */
  void begin(Durable mounted, boolean known, long now) {
    long prefix = mounted.seq();
    c.durable = mounted;
    for (int r = 0; r < last.length; r++) {
      last[r] = prefix;
      told[r] = known ? prefix : -1;
    }
    syncedAt = now;
    sentAt = now;
  }

  /** The regions with PUTs that no batch has brought to disk. */
  TreeSet<Integer> unsynced() {
    return unsynced;
  }

  /**
   * The {@link #unsynced} regions, and those that do not know yet that all their PUTs are durable.
   */
  TreeSet<Integer> unsettled() {
    TreeSet<Integer> all = new TreeSet<>(unsynced);
    for (int r = 0; r < last.length; r++) {
      if (last[r] > told[r]) {
        all.add(r);
      }
    }
    return all;
  }

  /** Notes a new batch. */
  void sent(Batch b, long now) {
    sentAt = now;
    hasSent = true;
    b.parts.forEach(
        (r, part) -> {
          told[r] = c.durable.seq();
          last[r] = part.puts.isEmpty() ? last[r] : b.lastSeq(r);
          bytes += part.payload == null ? 0 : part.payload.remaining();
          if (!b.sync && !c.spec.synced()) {
            unsynced.add(r);
          }
        });
    if (b.sync) {
      unsynced.removeAll(b.parts.keySet());
      bytes = 0;
      syncedAt = now;
    }
  }

  /** Notes a batch that all lanes have committed. */
  void settled(Batch b) {
    if (b.sync || c.spec.synced()) {
      c.durable = new Durable(b.last, b.volumeRoot);
    }
  }

  /** Whether the session must flush by itself now. */
  boolean isDue(boolean idle, long now) {
    boolean much = bytes >= c.spec.segmentBytes() / 2 || now - syncedAt >= MOST_NANOS;
    return !unsynced.isEmpty() && much
        || idle && hasSent && now - sentAt >= IDLE_NANOS && !unsettled().isEmpty();
  }
}
