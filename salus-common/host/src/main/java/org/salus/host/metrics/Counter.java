package org.salus.host.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A number that only grows. Thread-safe, without locks. */
public final class Counter {
  private final LongAdder value = new LongAdder();

  Counter() {}

  public void increment() {
    value.increment();
  }

  /**
   * @param n not negative
   */
  public void add(long n) {
    value.add(n);
  }

  public long value() {
    return value.sum();
  }
}
