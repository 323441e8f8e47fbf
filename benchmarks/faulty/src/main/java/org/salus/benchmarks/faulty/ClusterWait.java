package org.salus.benchmarks.faulty;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits until a condition on a cluster holds. */
public final class ClusterWait {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The condition that is waited for. */
  public interface Condition {
    /**
     * @throws IOException if it cannot be checked now; that counts as not yet
     */
    boolean holds() throws IOException;
  }

  private ClusterWait() {}

  /**
   * Waits for a condition, which may also fail to be checked. Returns whether it holds in the end.
   */
  public static boolean until(Duration most, Condition condition) {
    long end = System.nanoTime() + most.toNanos();
    while (true) {
      try {
        if (condition.holds()) {
          return true;
        }
      } catch (IOException | RuntimeException notNow) {
        // a cluster in trouble cannot always say how it is
      }
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
