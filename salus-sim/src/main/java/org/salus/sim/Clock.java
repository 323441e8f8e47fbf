package org.salus.sim;

import java.util.PriorityQueue;

/** Virtual time: runs events in the order of their time, those of one time in the order in which they were added. */
final class Clock {

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

  long now() {
    return now;
  }

  void at(long time, Runnable what) {
    events.add(new Event(Math.max(now, time), numbered++, what));
  }

  void after(long nanos, Runnable what) {
    at(now + nanos, what);
  }

  /** Runs one event; false when none is left. */
  boolean step() {
    Event e = events.poll();
    if (e == null) {
      return false;
    }
    now = e.at;
    e.what.run();
    return true;
  }
}
