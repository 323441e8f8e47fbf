package org.salus.benchmarks.report;

import java.util.Arrays;

/** The median. */
public final class Median {
  private Median() {}

  /** The median, or NaN if there are no values. */
  public static double of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
