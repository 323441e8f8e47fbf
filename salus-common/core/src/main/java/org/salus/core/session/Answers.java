package org.salus.core.session;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.effect.SessionEffect;

/**
 * The answers that are ready but may not be given yet. A session under a lease answers reads only
 * while the lease stands. While earlier writers' leases may stand, it acknowledges no change, and
 * shows none to its own reads.
 */
final class Answers {
  private final SessionContext c;

  /** Whether reads need a lease. */
  private boolean leased;

  /** When the lease is over, in nanoseconds; counts only while {@link #leased}. */
  private long readsUntil;

  /** Whether an earlier writer may still read what was there before this mount's changes. */
  private boolean waits;

  /** When no earlier writer may read any more, in nanoseconds; counts only while {@link #waits}. */
  private long changesFrom;

  /** Whether a read may return changes that an earlier writer does not know. */
  private boolean hasChanged;

  private final List<SessionEffect.Outcome> reads = new ArrayList<>();
  private final List<SessionEffect.Outcome> changes = new ArrayList<>();

  Answers(SessionContext c) {
    this.c = c;
  }

  /** Sets when the lease is over, and from when on changes may be seen, in nanoseconds. */
  void set(long until, long from) {
    waits |= !leased;
    leased = true;
    readsUntil = until;
    changesFrom = from;
  }

  /** Notes that a change is being sent, or that there may be one of a mount in between. */
  void changing() {
    hasChanged = true;
  }

  /** Answers a request that has read. */
  void read(SessionEffect.Outcome done) {
    if (leased) {
      reads.add(done);
    } else {
      c.out(done);
    }
  }

  /** Acknowledges a change. */
  void changed(SessionEffect.Outcome done) {
    if (waits) {
      changes.add(done);
    } else {
      c.out(done);
    }
  }

  /** Gives the answers that may be given now. */
  void release(long now) {
    if (waits && c.rules.mayAcknowledge(now, changesFrom)) {
      waits = false;
      changes.forEach(c::out);
      changes.clear();
    }
    if (!reads.isEmpty()
        && c.rules.mayAnswerReads(now, readsUntil)
        && c.rules.mayShow(waits, hasChanged)) {
      reads.forEach(c::out);
      reads.clear();
    }
  }

  /** Whether reads wait for the lease at {@code now}. */
  boolean waitForLease(long now) {
    return !reads.isEmpty() && !c.rules.mayAnswerReads(now, readsUntil);
  }

  /** Whether answers wait for the end of an earlier writer's lease. */
  boolean waitForOthers() {
    return waits && !(reads.isEmpty() && changes.isEmpty());
  }

  /** Forgets the changes that were not acknowledged, and returns their ids. */
  List<Long> drainChanges() {
    return drain(changes);
  }

  /** Forgets the reads that were not answered, and returns their ids. */
  List<Long> drainReads() {
    return drain(reads);
  }

  private static List<Long> drain(List<SessionEffect.Outcome> held) {
    List<Long> ids = held.stream().map(SessionEffect.Outcome::id).toList();
    held.clear();
    return ids;
  }

  boolean isIdle() {
    return reads.isEmpty() && changes.isEmpty();
  }
}
