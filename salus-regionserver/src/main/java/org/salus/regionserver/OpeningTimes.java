package org.salus.regionserver;

import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/** Measures how long each step of opening an epoch takes, for the log. For one loop. */
final class OpeningTimes {
  private final StringJoiner steps = new StringJoiner(", ");
  private long begin;
  private long last;

  void start() {
    begin = System.nanoTime();
    last = begin;
  }

  /** Notes that a step is done. */
  void done(String step) {
    long now = System.nanoTime();
    steps.add(step + " " + TimeUnit.NANOSECONDS.toMillis(now - last));
    last = now;
  }

  /** The total and each step's time, in milliseconds. */
  @Override
  public String toString() {
    return TimeUnit.NANOSECONDS.toMillis(last - begin) + " ms (" + steps + ")";
  }
}
