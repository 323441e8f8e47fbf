package org.salus.core.session;

import java.util.TreeSet;

/**
 * Which regions hold PUTs that are not on disk, and when to see to it without being asked: members
 * can put into checkpoints, and forget, only what they know to be durable everywhere; and a power
 * cut of every server takes the rest with it.
 */
final class Durability {
  /** A power cut of every server takes at most what was written in this time. */
  private static final long MOST_NANOS = 2_000_000_000L;

  /** After so long without a write the regions are told what is durable. */
  private static final long IDLE_NANOS = 250_000_000L;

  private final SessionContext c;
  private final TreeSet<Integer> unsynced = new TreeSet<>();

  /** The last PUT by region. */
  private final long[] last;

  /** What each region was told to be durable. */
  private final long[] told;

  private long bytes;
  private long syncedAt;
  private long sentAt;

  /** A mount that only reads adds nothing to the log: where there is no room, that would end it. */
  private boolean hasSent;

  Durability(SessionContext c) {
    this.c = c;
    this.last = new long[c.spec.regionCount()];
    this.told = new long[c.spec.regionCount()];
  }

  /**
   * The mount is done, and everything up to {@code prefix} on disk.
   *
   * @param known whether the regions know that
   */
  void begin(long prefix, boolean known, long now) {
    c.durable = prefix;
    for (int r = 0; r < last.length; r++) {
      last[r] = prefix;
      told[r] = known ? prefix : -1;
    }
    syncedAt = now;
    sentAt = now;
  }

  /** Regions with PUTs that no batch has brought to disk. */
  TreeSet<Integer> unsynced() {
    return unsynced;
  }

  /** Those, and regions that do not know of all their PUTs that they are durable. */
  TreeSet<Integer> unsettled() {
    TreeSet<Integer> all = new TreeSet<>(unsynced);
    for (int r = 0; r < last.length; r++) {
      if (last[r] > told[r]) {
        all.add(r);
      }
    }
    return all;
  }

  /** A new batch goes out. */
  void sent(Batch b, long now) {
    sentAt = now;
    hasSent = true;
    b.parts.forEach(
        (r, part) -> {
          told[r] = c.durable;
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

  /** A batch is committed by all lanes. */
  void settled(Batch b) {
    if (b.sync || c.spec.synced()) {
      c.durable = b.last;
    }
  }

  /** Whether a flush is due that nobody asked for. */
  boolean isDue(boolean idle, long now) {
    boolean much = bytes >= c.spec.segmentBytes() / 2 || now - syncedAt >= MOST_NANOS;
    return !unsynced.isEmpty() && much
        || idle && hasSent && now - sentAt >= IDLE_NANOS && !unsettled().isEmpty();
  }
}
