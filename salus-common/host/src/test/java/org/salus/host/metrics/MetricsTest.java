package org.salus.host.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private final Metrics metrics = new Metrics();
  private final Metrics.Group group = metrics.group();

  @Test
  void textHasEveryMetricByNameWithHelpTypeAndLabels() {
    Labels volume = Labels.of("volume", "disk1");
    group.counter("salus_b_total", "How many b", volume.with("kind", "read")).add(7);
    group.counter("salus_b_total", "How many b", volume.with("kind", "write"), () -> 1L << 40);
    group.gauge("salus_a_bytes", "Size of a", Labels.NONE, () -> 1.5);
    assertThat(PrometheusText.of(metrics))
        .isEqualTo(
            """
            # HELP salus_a_bytes Size of a
            # TYPE salus_a_bytes gauge
            salus_a_bytes 1.5
            # HELP salus_b_total How many b
            # TYPE salus_b_total counter
            salus_b_total{volume="disk1",kind="read"} 7
            salus_b_total{volume="disk1",kind="write"} 1099511627776
            """);
  }

  @Test
  void valuesOfLabelsAreEscaped() {
    group.gauge("salus_a", "A \\ with\nlines", Labels.of("volume", "a\"b\\c\nd"), () -> 1);
    assertThat(PrometheusText.of(metrics))
        .contains("# HELP salus_a A \\\\ with\\nlines\n")
        .contains("salus_a{volume=\"a\\\"b\\\\c\\nd\"} 1\n");
  }

  @Test
  void whatIsUnknownHasNoLine() {
    group.gauge("salus_a", "A", Labels.of("volume", "x"), () -> Double.NaN);
    group.gauge("salus_a", "A", Labels.of("volume", "y"), () -> 3);
    assertThat(PrometheusText.of(metrics))
        .doesNotContain("NaN")
        .contains("salus_a{volume=\"y\"} 3");
    assertThat(metrics.look().get(0).sum()).isEqualTo(3);
  }

  @Test
  void bucketsOfAHistogramCountUpAndItsSumIsInSeconds() {
    Latency took = group.latency("salus_a_seconds", "A", Labels.of("volume", "x"));
    took.record(TimeUnit.MICROSECONDS.toNanos(90));
    took.record(TimeUnit.MILLISECONDS.toNanos(20));
    assertThat(took.look().count()).isEqualTo(2);
    took.record(TimeUnit.MINUTES.toNanos(10));
    took.record(-5);
    assertThat(PrometheusText.of(metrics))
        .contains("# TYPE salus_a_seconds histogram")
        .contains("salus_a_seconds_bucket{volume=\"x\",le=\"1.0E-4\"} 2\n")
        .contains("salus_a_seconds_bucket{volume=\"x\",le=\"0.01\"} 2\n")
        .contains("salus_a_seconds_bucket{volume=\"x\",le=\"0.025\"} 3\n")
        .contains("salus_a_seconds_bucket{volume=\"x\",le=\"300\"} 3\n")
        .contains("salus_a_seconds_bucket{volume=\"x\",le=\"+Inf\"} 4\n")
        .contains("salus_a_seconds_sum{volume=\"x\"} 600.02009\n")
        .contains("salus_a_seconds_count{volume=\"x\"} 4\n");
  }

  @Test
  void nothingIsLostWhenManyThreadsRecordWhileOneLooks() throws InterruptedException {
    Latency took = group.latency("salus_a_seconds", "A", Labels.NONE);
    Counter counted = group.counter("salus_a_total", "A", Labels.NONE);
    int threads = 4;
    int each = 50_000;
    CountDownLatch done = new CountDownLatch(threads);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread t =
          new Thread(
              () -> {
                for (int n = 0; n < each; n++) {
                  took.record(n * 1000L);
                  counted.increment();
                }
                done.countDown();
              });
      t.start();
      all.add(t);
    }
    while (done.getCount() > 0) {
      assertThat(took.look().count()).isBetween(0L, (long) threads * each);
    }
    for (Thread t : all) {
      t.join();
    }
    assertThat(took.look().count()).isEqualTo((long) threads * each);
    assertThat(counted.value()).isEqualTo((long) threads * each);
  }

  @Test
  void aClosedGroupTakesItsMetricsAlongAndNoOthers() {
    group.counter("salus_a_total", "A", Labels.of("volume", "x"));
    Metrics.Group other = metrics.group();
    other.counter("salus_a_total", "A", Labels.of("volume", "y"));
    other.gauge("salus_b", "B", Labels.NONE, () -> 1);
    other.close();
    assertThat(metrics.look()).extracting(Metrics.Family::name).containsExactly("salus_a_total");
    assertThat(PrometheusText.of(metrics)).contains("\"x\"").doesNotContain("\"y\"");
    group.close();
    assertThat(metrics.look()).isEmpty();
    metrics.group().counter("salus_a_total", "A", Labels.of("volume", "x"));
    assertThat(metrics.look()).hasSize(1);
  }

  @Test
  void whatSomebodyElseKeepsIsNotCountedTwice() {
    group.keptCounter("salus_kept_total", "Kept", Labels.NONE, () -> 7);
    group.counter("salus_own_total", "Own", Labels.NONE, () -> 5);
    group.gauge("salus_now", "Now", Labels.NONE, () -> 3);
    group.close();
    assertThat(metrics.past("salus_kept_total").value()).isZero();
    assertThat(metrics.past("salus_own_total").value()).isEqualTo(5);
    assertThat(metrics.past("salus_now").value()).isZero();
  }

  @Test
  void namesAgainstTheConventionsAreRefused() {
    assertThatThrownBy(() -> group.counter("salus_reads", "Reads", Labels.NONE))
        .hasMessageContaining("salus_reads");
    assertThatThrownBy(() -> group.gauge("salus_reads_total", "Reads", Labels.NONE, () -> 1))
        .hasMessageContaining("salus_reads_total");
    assertThatThrownBy(() -> group.latency("salus_reads_millis", "Reads", Labels.NONE))
        .hasMessageContaining("salus_reads_millis");
    assertThatThrownBy(() -> group.gauge("Reads", "Reads", Labels.NONE, () -> 1))
        .hasMessageContaining("Reads");
    assertThatThrownBy(() -> Labels.of("Volume-name", "x")).hasMessageContaining("Volume-name");
    assertThat(metrics.look()).isEmpty();
  }

  @Test
  void theLaterPartTakesThePlaceOfTheEarlierOne() {
    group.gauge("salus_a", "A", Labels.NONE, () -> 1);
    Metrics.Group later = metrics.group();
    later.gauge("salus_a", "A", Labels.NONE, () -> 2);
    group.close();
    assertThat(PrometheusText.of(metrics)).endsWith("salus_a 2\n");
    later.close();
    assertThat(metrics.look()).isEmpty();
  }

  @Test
  void oneNameMeansOneThing() {
    group.gauge("salus_a", "A", Labels.NONE, () -> 1);
    assertThatThrownBy(() -> group.gauge("salus_a", "B", Labels.of("volume", "x"), () -> 2))
        .hasMessageContaining("another metric");
  }
}
