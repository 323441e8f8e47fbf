package org.salus.datanode.hdfs;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says which refusals are logged, so that nobody fills the log and nobody hides another one: in ten
 * seconds, the first of each caller and kind, and {@value #MOST} in all. Thread-safe.
 */
final class RefusalLines {
  static final int MOST = 20;
  static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier clock;
  private final Set<String> logged = new HashSet<>();
  private long began;

  /**
   * @param clock gives the time as {@link System#nanoTime} does
   */
  RefusalLines(LongSupplier clock) {
    this.clock = clock;
    this.began = clock.getAsLong();
  }

  synchronized boolean mayLog(String caller, String kind) {
    long now = clock.getAsLong();
    if (now - began >= PERIOD_NANOS) {
      logged.clear();
      began = now;
    }
    return logged.size() < MOST && logged.add(kind + " " + caller);
  }
}
