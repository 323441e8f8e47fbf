package org.salus.benchmarks.peers;

import java.util.concurrent.locks.LockSupport;

/** Waits. */
public final class Pauses {
  private Pauses() {}

  /** Returns so many nanoseconds later. */
  public static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
