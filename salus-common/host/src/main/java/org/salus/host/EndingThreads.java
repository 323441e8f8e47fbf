package org.salus.host;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for threads that have been told to end. Thread-safe. */
public final class EndingThreads {
  private static final Logger LOG = LoggerFactory.getLogger(EndingThreads.class);

  private EndingThreads() {}

  /**
   * Waits until all threads have ended, at most {@code nanos} nanoseconds in total. Logs the stack
   * of each that has not ended, and leaves it behind. An interrupt ends the wait and stays set.
   */
  public static void await(List<? extends Thread> threads, long nanos) {
    long end = System.nanoTime() + nanos;
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        if (thread.isAlive()) {
          LOG.warn(
              "{} did not stop in time: {}", thread.getName(), List.of(thread.getStackTrace()));
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
