package org.salus.host;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says which lines of one kind are logged: one a second, however often a peer gives reason for one.
 * Thread-safe.
 */
public final class OncePerSecond {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier clock;
  private long last;
  private boolean any;
  private long untold;

  /**
   * @param clock gives the time as {@link System#nanoTime} does
   */
  public OncePerSecond(LongSupplier clock) {
    this.clock = clock;
  }

  /** Returns the number of lines left out since the last one, or -1 to leave out this one, too. */
  public synchronized long take() {
    long now = clock.getAsLong();
    if (any && now - last < PAUSE_NANOS) {
      untold++;
      return -1;
    }
    long before = untold;
    any = true;
    last = now;
    untold = 0;
    return before;
  }

  /** The end of a line after which {@code untold} others were left out. */
  public static String words(long untold) {
    return untold == 0 ? "" : " (and " + untold + " like it)";
  }
}
