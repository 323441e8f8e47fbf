package org.salus.core.mount;

/** The pauses between tries that fail: 1 s at first, doubled each time, up to a bound. */
public final class RetryPause {
  private static final long FIRST = 1_000_000_000L;

  private final long longest;
  private long next = FIRST;

  private RetryPause(long seconds) {
    longest = seconds * FIRST;
  }

  /** Between tries to claim a volume, or to give a claim up: at most 30 s. */
  static RetryPause ofClaims() {
    return new RetryPause(30);
  }

  /** Between tries to write a note: at most a minute. */
  public static RetryPause ofNotes() {
    return new RetryPause(60);
  }

  /** The pause before the next try, in nanoseconds. */
  public long next() {
    long now = next;
    next = Math.min(2 * next, longest);
    return now;
  }

  /** A try has succeeded. */
  void begin() {
    next = FIRST;
  }
}
