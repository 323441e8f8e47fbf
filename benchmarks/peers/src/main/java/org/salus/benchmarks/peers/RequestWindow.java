package org.salus.benchmarks.peers;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * How many requests may be outstanding. Who finds no room waits until an eighth is free, as a
 * client of batches waits for the end of one: waking a thread costs more than many a request does.
 * One thread enters, any leave.
 */
public final class RequestWindow {
  private static final int PARTS = 8;

  private final int most;
  private final int fewEnough;
  private final AtomicInteger outstanding = new AtomicInteger();
  private volatile Thread waiting;

  /**
   * @param most at least 1
   */
  public RequestWindow(int most) {
    this.most = most;
    this.fewEnough = most - Math.max(1, most / PARTS);
  }

  /** A request begins; waits for room. */
  public void enter() {
    if (outstanding.get() == most) {
      waiting = Thread.currentThread();
      while (outstanding.get() > fewEnough) {
        LockSupport.park(this);
      }
      waiting = null;
    }
    outstanding.incrementAndGet();
  }

  /** A request is over. */
  public void leave() {
    if (outstanding.decrementAndGet() == fewEnough) {
      LockSupport.unpark(waiting);
    }
  }
}
