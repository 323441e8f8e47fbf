package org.salus.core.replacement;

import org.salus.core.replacement.RrsRecord.State;

/**
 * When a replica of a region may move again. After an epoch in which one moved has not served,
 * nobody is to blame: the members go on where they were, and the next attempt comes later each
 * time. A new master begins anew. Not thread-safe.
 */
final class MoveBackOff {
  private static final int MOST_DOUBLINGS = 7;

  private final long pause;

  /** The last epoch in which a replica moved and that has not served. */
  private int failedEpoch;

  private int failures;
  private long since;

  /**
   * @param pause the time before the second attempt, in nanoseconds
   */
  MoveBackOff(long pause) {
    this.pause = pause;
  }

  /** Takes a look at the region. */
  void look(RrsRecord rrs, ClusterView cluster) {
    if (!rrs.link().moves()) {
      return;
    }
    if (rrs.hasServed()) {
      failures = 0;
    } else if (rrs.state() == State.BROKEN && rrs.epoch() > failedEpoch) {
      failedEpoch = rrs.epoch();
      failures++;
      since = cluster.nanos();
    }
  }

  boolean mayMove(ClusterView cluster) {
    return failures == 0
        || cluster.nanos() - since >= pause << Math.min(failures - 1, MOST_DOUBLINGS);
  }
}
