package org.salus.sim.scale;

/** Something that does one thing after another, or a few of which each does. */
final class Resource {
  private final long[] free;

  Resource(int units) {
    free = new long[units];
  }

  /**
   * When it has done what takes so long, if that is asked for now; what was asked for before comes
   * first.
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
