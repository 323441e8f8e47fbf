package org.salus.datanode.hdfs;

import org.apache.hadoop.metrics2.annotation.Metric;
import org.apache.hadoop.metrics2.annotation.Metrics;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;

/**
 * What the guard counts, among the NameNode's own metrics: in {@code /jmx} and {@code /prom}. There
 * it is {@code salus_guard_refused_total}. Thread-safe.
 */
@Metrics(name = GuardMetrics.NAME, about = "The guard of volumes' files", context = "salus")
final class GuardMetrics {
  static final String NAME = "SalusGuard";

  private static final GuardMetrics ONE =
      DefaultMetricsSystem.instance()
          .register(NAME, "The guard of volumes' files", new GuardMetrics());

  // Hadoop makes it when this is registered.
  @Metric("Changes of volumes' files that were refused")
  private MutableCounterLong refusedTotal;

  private GuardMetrics() {}

  /** Makes the count, at 0. An alert on growth must see it before the first refusal. */
  static void show() {
    ONE.refusedTotal.incr(0);
  }

  static void refused() {
    ONE.refusedTotal.incr();
  }

  static long refusals() {
    return ONE.refusedTotal.value();
  }
}
