package org.salus.client;

import java.time.Duration;

/**
 * Whether the DataNodes have room, as far as a volume's writer knows, and how long to wait before
 * another mount. Not thread-safe.
 */
final class Room {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private Duration pause = FIRST_PAUSE;
  private boolean full;

  /** Until when changes are refused after there was no room; nanoseconds. */
  private long fullUntil;

  /** There was no room: changes are refused for a pause, which is longer the next time. */
  void ranOut(long now) {
    full = true;
    fullUntil = now + pause.toNanos();
    lengthenPause();
  }

  /** Whether changes are refused at this time. */
  boolean isFull(long now) {
    return full && now - fullUntil < 0;
  }

  /** A change was acknowledged: there is room again if there was none. */
  void found() {
    if (full) {
      full = false;
      pause = FIRST_PAUSE;
    }
  }

  /** The time to wait before the next try, which doubles, up to 30 s. */
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
