package org.salus.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory that outstanding requests may hold together. Who finds too little waits in line. What
 * is larger than all of it gets all of it. Thread-safe.
 */
final class RequestMemory {
  private final long most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Condition> line = new ArrayDeque<>();
  private long used;

  /**
   * @param most bytes, at least 1
   */
  RequestMemory(long most) {
    this.most = most;
  }

  /** A quarter of what the heap may grow to. */
  static long ofHeap() {
    return Math.max(1, Runtime.getRuntime().maxMemory() / 4);
  }

  /** Most bytes that requests may hold together. */
  long most() {
    return most;
  }

  /** Takes memory if nobody is in line and there is enough. */
  boolean tryTake(long bytes) {
    lock.lock();
    try {
      boolean taken = line.isEmpty() && fits(bytes);
      used += taken ? share(bytes) : 0;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Takes memory. Waits for it at most this long; returns false if that was not enough. */
  boolean take(long bytes, Duration atMost) throws InterruptedException {
    if (tryTake(bytes)) {
      return true;
    }
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    Condition turn = lock.newCondition();
    line.add(turn);
    try {
      while (line.peek() != turn || !fits(bytes)) {
        if (left <= 0) {
          return false;
        }
        left = turn.awaitNanos(left);
      }
      used += share(bytes);
      return true;
    } finally {
      line.remove(turn);
      callNext();
      lock.unlock();
    }
  }

  /** Gives back what was taken. */
  void give(long bytes) {
    lock.lock();
    try {
      used -= share(bytes);
      callNext();
    } finally {
      lock.unlock();
    }
  }

  private void callNext() {
    if (!line.isEmpty()) {
      line.peek().signal();
    }
  }

  private boolean fits(long bytes) {
    return used + share(bytes) <= most;
  }

  private long share(long bytes) {
    return Math.min(bytes, most);
  }
}
