package org.salus.benchmarks.figures.load;

import java.util.Arrays;

/** The least value that a given part of all does not exceed. */
public final class Percentile {
  private Percentile() {}

  /**
   * By nearest rank.
   *
   * @param percent above 0, to 100
   */
  public static long of(long[] values, double percent) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[Math.max(1, (int) Math.ceil(percent / 100 * sorted.length)) - 1];
  }
}
