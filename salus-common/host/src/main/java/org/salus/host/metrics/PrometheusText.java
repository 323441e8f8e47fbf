package org.salus.host.metrics;

import java.util.List;
import java.util.Map;

/** Writes metrics in Prometheus' text form, version 0.0.4. */
public final class PrometheusText {
  /** The content type of that form. */
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final double EXACT = 1L << 53;

  private PrometheusText() {}

  /** Writes all metrics of a registry. */
  public static String of(Metrics metrics) {
    StringBuilder to = new StringBuilder();
    metrics.look().forEach(f -> family(f, to));
    return to.toString();
  }

  private static void family(Metrics.Family f, StringBuilder to) {
    to.append("# HELP ").append(f.name()).append(' ').append(help(f.help())).append('\n');
    to.append("# TYPE ").append(f.name()).append(' ');
    to.append(
            switch (f.kind()) {
              case COUNTER -> "counter";
              case GAUGE -> "gauge";
              case HISTOGRAM -> "histogram";
            })
        .append('\n');
    for (Metrics.Sample s : f.samples()) {
      if (!Double.isNaN(s.value())) {
        line(f.name(), s.labels(), null, s.value(), to);
      }
    }
    f.times().forEach(t -> times(f.name(), t, to));
  }

  private static void times(String name, Metrics.Timed t, StringBuilder to) {
    List<Latency.Bucket> buckets = t.seen().buckets();
    for (Latency.Bucket b : buckets) {
      line(name + "_bucket", t.labels(), number(b.seconds()), b.count(), to);
    }
    line(name + "_bucket", t.labels(), "+Inf", t.seen().count(), to);
    line(name + "_sum", t.labels(), null, t.seen().seconds(), to);
    line(name + "_count", t.labels(), null, t.seen().count(), to);
  }

  /**
   * @param le the upper edge of a bucket, or null
   */
  private static void line(String name, Labels labels, String le, double value, StringBuilder to) {
    to.append(name);
    String sep = "{";
    for (Map.Entry<String, String> l : labels.values().entrySet()) {
      to.append(sep).append(l.getKey()).append("=\"").append(value(l.getValue())).append('"');
      sep = ",";
    }
    if (le != null) {
      to.append(sep).append("le=\"").append(le).append('"');
      sep = ",";
    }
    if (sep.equals(",")) {
      to.append('}');
    }
    to.append(' ').append(number(value)).append('\n');
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < EXACT
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String help(String text) {
    return text.replace("\\", "\\\\").replace("\n", "\\n");
  }

  private static String value(String text) {
    return help(text).replace("\"", "\\\"");
  }
}
