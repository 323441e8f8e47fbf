package org.salus.sim.scale;

/** A server of a queue: it works on one thing at a time, or on a few at once. */
final class Resource {
  private final long[] free;

  Resource(int units) {
    free = new long[units];
  }

  /**
   * The time when work of this length ends if it is asked for now. Work that was asked for before
   * comes first.
   */
  long take(long now, long nanos) {
    int first = 0;
    for (int i = 1; i < free.length; i++) {
      if (free[i] < free[first]) {
        first = i;
      }
    }
    free[first] = Math.max(now, free[first]) + nanos;
    return free[first];
  }
}
