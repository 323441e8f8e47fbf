package org.salus.monitor.hbase;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Gauge;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

/**
 * Shows metrics among HBase's own, in {@code /jmx} and {@code /prometheus}. HBase's form has no
 * labels, so each metric is there as the sum over all labels, and over all servers of this process.
 * A histogram is there as its count and its sum. What is labelled by region is not there: most of
 * these sums would mean nothing.
 */
final class SummedMetrics {
  private static final MetricRegistryInfo INFO =
      new MetricRegistryInfo("salus", "Metrics of Salus", "Salus", "salus", false);

  /** HBase writes the name of the registry before each name, with a capital letter between. */
  private static final String PREFIX = "salus_";

  private static final Collection<Metrics> ALL = new CopyOnWriteArrayList<>();
  private static final Set<String> KNOWN = ConcurrentHashMap.newKeySet();
  private static final MetricRegistry REGISTRY = MetricRegistries.global().create(INFO);

  private SummedMetrics() {}

  /** Metrics that HBase shows until this is closed. */
  interface Shown extends AutoCloseable {
    @Override
    void close();
  }

  static Shown show(Metrics metrics) {
    ALL.add(metrics);
    Metrics.Watch watch = metrics.watch(SummedMetrics::register);
    return () -> {
      watch.close();
      ALL.remove(metrics);
    };
  }

  private static void register(String name, Metrics.Kind kind, Labels labels) {
    if (labels.values().containsKey("region") || !KNOWN.add(name)) {
      return;
    }
    String shorter = name.substring(PREFIX.length());
    switch (kind) {
      case COUNTER ->
          REGISTRY.register(
              shorter, new Sum(() -> (long) (sum(name) + past(name, Metrics.Past::value))));
      case GAUGE -> REGISTRY.register(shorter, (Gauge<Double>) () -> sum(name));
      case HISTOGRAM -> {
        REGISTRY.register(shorter + "_count", new Sum(() -> count(name)));
        REGISTRY.register(shorter + "_sum", (Gauge<Double>) () -> seconds(name));
      }
    }
  }

  private static List<Metrics.Family> families(String name) {
    return ALL.stream().map(m -> m.look(name)).flatMap(Optional::stream).toList();
  }

  private static double sum(String name) {
    return families(name).stream()
        .mapToDouble(Metrics.Family::sum)
        .filter(v -> !Double.isNaN(v))
        .sum();
  }

  /** A sum must not fall when a volume goes. */
  private static double past(String name, ToDoubleFunction<Metrics.Past> what) {
    return ALL.stream().mapToDouble(m -> what.applyAsDouble(m.past(name))).sum();
  }

  private static long count(String name) {
    return (long) past(name, Metrics.Past::count)
        + families(name).stream()
            .flatMap(f -> f.times().stream())
            .mapToLong(t -> t.seen().count())
            .sum();
  }

  private static double seconds(String name) {
    return past(name, Metrics.Past::seconds)
        + families(name).stream()
            .flatMap(f -> f.times().stream())
            .mapToDouble(t -> t.seen().seconds())
            .sum();
  }

  /** A counter that others count. */
  private record Sum(LongSupplier value) implements Counter {
    @Override
    public long getCount() {
      return value.getAsLong();
    }

    @Override
    public void increment() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void increment(long n) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void decrement() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void decrement(long n) {
      throw new UnsupportedOperationException();
    }
  }
}
