package org.salus.regionserver.scrub;

import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Limits a rate of bytes, without saving up unused time for bursts. For one thread. */
final class Throttle {
  private static final double NANOS = 1e9;

  private final long rate;
  private final LongSupplier clock;
  private final LongConsumer sleep;

  /** When the next bytes may go, in nanoseconds of the clock. */
  private long next;

  /**
   * @param rate the limit in bytes a second, or 0 for none
   * @param clock gives the time in nanoseconds
   * @param sleep waits for about the given number of nanoseconds
   */
  Throttle(long rate, LongSupplier clock, LongConsumer sleep) {
    this.rate = rate;
    this.clock = clock;
    this.sleep = sleep;
    this.next = clock.getAsLong();
  }

  /** Waits until {@code bytes} may go. */
  void take(int bytes) {
    if (rate == 0 || bytes == 0) {
      return;
    }
    long now = clock.getAsLong();
    if (next - now > 0) {
      sleep.accept(next - now);
    }
    next = Math.max(next, now) + (long) (bytes * NANOS / rate);
  }
}
