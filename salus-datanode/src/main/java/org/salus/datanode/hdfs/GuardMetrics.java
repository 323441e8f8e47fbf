package org.salus.datanode.hdfs;

import org.apache.hadoop.metrics2.MetricsSystem;
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

  private static GuardMetrics shown;

  // Hadoop makes it when this is registered.
  @Metric("Changes of volumes' files that were refused")
  private MutableCounterLong refusedTotal;

  private GuardMetrics() {}

  /** A NameNode that stops takes all metrics of its process away; the next one counts anew. */
  private static synchronized MutableCounterLong count() {
    MetricsSystem all = DefaultMetricsSystem.instance();
    if (shown == null || all.getSource(NAME) == null) {
      shown = all.register(NAME, "The guard of volumes' files", new GuardMetrics());
    }
    return shown.refusedTotal;
  }

  /** Makes the count, at 0. An alert on growth must see it before the first refusal. */
  static void show() {
    count().incr(0);
  }

  static void refused() {
    count().incr();
  }

  static long refusals() {
    return count().value();
  }
}
