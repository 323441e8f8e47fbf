package org.salus.sim;

import java.util.PriorityQueue;

/**
 * Virtual time in nanoseconds. Events run in the order of their time; those of one time run in the
 * order in which they were added. For one thread.
 */
public final class Clock {

  private record Event(long at, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event o) {
      return at != o.at ? Long.compare(at, o.at) : Long.compare(number, o.number);
    }
  }

  static final long MICRO = 1_000;
  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000_000_000;

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long now;
  private long numbered;

  public long now() {
    return now;
  }

  public void at(long time, Runnable what) {
    events.add(new Event(Math.max(now, time), numbered++, what));
  }

  public void after(long nanos, Runnable what) {
    at(now + nanos, what);
  }

  /** Runs one event. Returns false when none is left. */
  public boolean step() {
    Event e = events.poll();
    if (e == null) {
      return false;
    }
    now = e.at;
    e.what.run();
    return true;
  }
}
