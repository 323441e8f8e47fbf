package org.salus.dist.hbase;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for conditions. */
public final class Await {
  /** A condition to wait for. */
  public interface Condition {
    boolean holds() throws Exception;
  }

  private Await() {}

  public static void until(String what, Duration most, Condition condition) throws Exception {
    long end = System.nanoTime() + most.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not within " + most.toSeconds() + " s: " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
