package org.salus.client;

import java.time.Duration;

/**
 * What a session knows about room on the DataNodes, and how long to wait before the next mount. Not
 * thread-safe.
 */
final class Room {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private Duration pause = FIRST_PAUSE;
  private boolean full;

  /** The time until which changes are refused, in nanoseconds; counts only while {@code full}. */
  private long fullUntil;

  /**
   * Notes that there was no room. Changes are refused for a pause, which is longer the next time.
   */
  void ranOut(long now) {
    full = true;
    fullUntil = now + pause.toNanos();
    lengthenPause();
  }

  /** Whether changes are refused at {@code now}, in nanoseconds. */
  boolean isFull(long now) {
    return full && now - fullUntil < 0;
  }

  /** Notes that a change was acknowledged, so that there is room. */
  void found() {
    if (full) {
      full = false;
      pause = FIRST_PAUSE;
    }
  }

  /** The pause before the next try: 1 s at first, doubled each time, at most 30 s. */
  Duration nextPause() {
    Duration now = pause;
    lengthenPause();
    return now;
  }

  private void lengthenPause() {
    Duration twice = pause.multipliedBy(2);
    pause = twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }
}
