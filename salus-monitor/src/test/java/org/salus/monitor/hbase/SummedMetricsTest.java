package org.salus.monitor.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.Metric;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.junit.jupiter.api.Test;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

class SummedMetricsTest {
  private static Map<String, Double> shown() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .filter(r -> r.getMetricRegistryInfo().getMetricsName().equals("salus"))
        .flatMap(r -> r.getMetrics().entrySet().stream())
        .collect(Collectors.toMap(Map.Entry::getKey, e -> value(e.getValue())));
  }

  private static double value(Metric m) {
    return m instanceof Counter c
        ? c.getCount()
        : ((Number) ((Gauge<?>) m).getValue()).doubleValue();
  }

  @Test
  void eachMetricIsThereAsItsSumButForThoseOfRegions() {
    Metrics one = new Metrics();
    Metrics two = new Metrics();
    Metrics.Group group = one.group();
    group.counter("salus_t_reads_total", "R", Labels.of("volume", "a")).add(3);
    SummedMetrics.Shown first = SummedMetrics.show(one);
    SummedMetrics.Shown second = SummedMetrics.show(two);
    group.counter("salus_t_reads_total", "R", Labels.of("volume", "b")).add(4);
    two.group().counter("salus_t_reads_total", "R", Labels.of("volume", "a")).add(100);
    two.group().gauge("salus_t_bytes", "B", Labels.NONE, () -> 1.5);
    two.group().gauge("salus_t_unknown", "U", Labels.NONE, () -> Double.NaN);
    two.group().latency("salus_t_seconds", "S", Labels.NONE).record(2_000_000_000);
    two.group().gauge("salus_t_epoch", "E", Labels.of("region", "1"), () -> 9);
    assertThat(shown())
        .containsEntry("t_reads_total", 107.0)
        .containsEntry("t_bytes", 1.5)
        .containsEntry("t_unknown", 0.0)
        .containsEntry("t_seconds_count", 1.0)
        .containsEntry("t_seconds_sum", 2.0)
        .doesNotContainKey("t_epoch");
    second.close();
    assertThat(shown()).containsEntry("t_reads_total", 7.0).containsEntry("t_bytes", 0.0);
    first.close();
  }

  @Test
  void noSumFallsWhenAVolumeGoes() {
    Metrics metrics = new Metrics();
    try (SummedMetrics.Shown shown = SummedMetrics.show(metrics)) {
      Metrics.Group gone = metrics.group();
      gone.counter("salus_g_total", "G", Labels.of("volume", "a")).add(3);
      gone.latency("salus_g_seconds", "G", Labels.of("volume", "a")).record(2_000_000_000);
      gone.gauge("salus_g_bytes", "G", Labels.of("volume", "a"), () -> 8);
      metrics.group().counter("salus_g_total", "G", Labels.of("volume", "b")).add(4);
      gone.close();
      assertThat(shown())
          .containsEntry("g_total", 7.0)
          .containsEntry("g_seconds_count", 1.0)
          .containsEntry("g_seconds_sum", 2.0)
          .containsEntry("g_bytes", 0.0);
    }
  }
}
