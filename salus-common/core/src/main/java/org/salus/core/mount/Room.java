package org.salus.core.mount;

/**
 * What a session knows about room on the DataNodes, and how long to wait before the next mount. Not
 * thread-safe.
 */
public final class Room {
  private static final long FIRST_PAUSE = 1_000_000_000L;
  private static final long LONGEST_PAUSE = 30 * FIRST_PAUSE;

  private long pause = FIRST_PAUSE;
  private boolean full;

  /** The time until which changes are refused, in nanoseconds; counts only while {@code full}. */
  private long fullUntil;

  /**
   * Notes that there was no room. Changes are refused for a pause, which is longer the next time.
   */
  public void ranOut(long now) {
    full = true;
    fullUntil = now + pause;
    lengthenPause();
  }

  /** Whether changes are refused at {@code now}, in nanoseconds. */
  public boolean isFull(long now) {
    return full && now - fullUntil < 0;
  }

  /** Whether there was no room, and none was found since. */
  boolean isDoubted() {
    return full;
  }

  /** Notes that a write was acknowledged: its blocks are logged, so there is room. */
  public void found() {
    if (full) {
      full = false;
      pause = FIRST_PAUSE;
    }
  }

  /**
   * The pause before the next try in nanoseconds: 1 s at first, doubled each time, at most 30 s.
   */
  long nextPause() {
    long now = pause;
    lengthenPause();
    return now;
  }

  private void lengthenPause() {
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  }
}
