package org.salus.benchmarks.figures.nbd;

import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * One figure that a job yields, and its target: between once and ten times what Ceph RBD reaches on
 * two cores.
 */
enum Measure {
  WRITE_1M(FioJob.WRITE_1M, "", "MB/s", Measure::megabytes, 309, true),
  READ_1M(FioJob.READ_1M, "", "MB/s", Measure::megabytes, 960, true),
  RANDOM_WRITE_4K(FioJob.RANDOM_WRITE_4K, "", "IOPS", FioResult::iops, 16_320, true),
  RANDOM_READ_4K(FioJob.RANDOM_READ_4K, "", "IOPS", FioResult::iops, 35_528, true),
  WRITE_4K(FioJob.WRITE_4K, "", "IOPS", FioResult::iops, 20_520, true),
  READ_4K(FioJob.READ_4K, "", "IOPS", FioResult::iops, 40_120, true),
  WRITE_P50(FioJob.WRITE_LATENCY, ": p50", "ms", r -> millis(r.p50Nanos()), 0.55, false),
  WRITE_P99(FioJob.WRITE_LATENCY, ": p99", "ms", r -> millis(r.p99Nanos()), Double.NaN, false),
  READ_P50(FioJob.READ_LATENCY, ": p50", "ms", r -> millis(r.p50Nanos()), 0.12, false),
  READ_P99(FioJob.READ_LATENCY, ": p99", "ms", r -> millis(r.p99Nanos()), Double.NaN, false);

  private final FioJob job;
  private final String which;
  private final String unit;
  private final ToDoubleFunction<FioResult> figure;
  private final double target;
  private final boolean moreIsBetter;

  Measure(
      FioJob job,
      String which,
      String unit,
      ToDoubleFunction<FioResult> figure,
      double target,
      boolean moreIsBetter) {
    this.job = job;
    this.which = which;
    this.unit = unit;
    this.figure = figure;
    this.target = target;
    this.moreIsBetter = moreIsBetter;
  }

  private static double megabytes(FioResult r) {
    return r.bytesPerSecond() / 1e6;
  }

  private static double millis(long nanos) {
    return nanos / 1e6;
  }

  FioJob job() {
    return job;
  }

  String label() {
    return job.label() + which;
  }

  /** A label for a plot in which eight stand side by side. */
  String shortLabel() {
    return job.id().replace("latency", "p50");
  }

  double of(FioResult result) {
    return figure.applyAsDouble(result);
  }

  String format(double value) {
    return String.format(Locale.ROOT, unit.equals("ms") ? "%.3f %s" : "%,.0f %s", value, unit);
  }

  String target() {
    String number = String.format(Locale.ROOT, unit.equals("ms") ? "%.2f" : "%,.0f", target);
    return !hasTarget() ? "-" : (moreIsBetter ? ">= " : "<= ") + number + " " + unit;
  }

  boolean hasTarget() {
    return !Double.isNaN(target);
  }

  /**
   * The value as a multiple of its target. It is 1 at the target, and more if the value is better.
   */
  double timesTarget(double value) {
    return moreIsBetter ? value / target : target / value;
  }

  /** yes or no, or a dash if there is no target. */
  String met(double value) {
    boolean reached = moreIsBetter ? value >= target : value <= target;
    return !hasTarget() ? "-" : reached ? "yes" : "no";
  }
}
