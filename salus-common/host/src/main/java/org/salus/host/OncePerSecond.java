package org.salus.host;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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

  /**
   * Logs a line, unless one was logged within the last second.
   *
   * @param line takes the end of the line, which tells how many were left out before it; empty if
   *     none were
   */
  public void log(Consumer<String> line) {
    long before;
    synchronized (this) {
      long now = clock.getAsLong();
      if (any && now - last < PAUSE_NANOS) {
        untold++;
        return;
      }
      before = untold;
      any = true;
      last = now;
      untold = 0;
    }
    line.accept(before == 0 ? "" : " (and " + before + " like it)");
  }
}
