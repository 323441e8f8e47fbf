package org.salus.core.mount;

/** The pauses between tries that fail: 1 s at first, doubled each time, at most 30 s. */
final class RetryPause {
  private static final long FIRST = 1_000_000_000L;
  private static final long LONGEST = 30 * FIRST;

  private long next = FIRST;

  /** The pause before the next try, in nanoseconds. */
  long next() {
    long now = next;
    next = Math.min(2 * next, LONGEST);
    return now;
  }

  /** A try has succeeded. */
  void begin() {
    next = FIRST;
  }
}
