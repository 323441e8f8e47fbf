package org.salus.host.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * What one server or bridge counts and measures. Names follow the conventions of Prometheus: {@code
 * salus_} at the beginning, {@code _total} at the end of a counter, and the units {@code _seconds}
 * and {@code _bytes}. Thread-safe. Only registering and looking take a lock.
 */
public final class Metrics {
  private static final Pattern NAME = Pattern.compile("salus(_[a-z0-9]+)+");
  private static final String TOTAL = "_total";
  private static final String SECONDS = "_seconds";
  private static final double MILLIS = 1e3;

  /** What a metric is. */
  public enum Kind {
    COUNTER,
    GAUGE,
    HISTOGRAM
  }

  /**
   * The value of a counter or a gauge at one moment.
   *
   * @param value not a number while it is unknown
   */
  public record Sample(Labels labels, double value) {}

  /** A histogram at one moment. */
  public record Timed(Labels labels, Latency.Seen seen) {}

  /**
   * All metrics of one name at one moment.
   *
   * @param help what it is, in a sentence without a full stop
   * @param samples of a counter or a gauge
   * @param times of a histogram
   */
  public record Family(
      String name, String help, Kind kind, List<Sample> samples, List<Timed> times) {
    /** The sum over all labels; not a number if nothing is known. */
    public double sum() {
      return samples.stream()
          .mapToDouble(Sample::value)
          .filter(v -> !Double.isNaN(v))
          .reduce((a, b) -> a + b)
          .orElse(Double.NaN);
    }
  }

  /**
   * What the closed series of a name have counted, so that a sum over all labels does not fall.
   *
   * @param value of counters that nobody else keeps
   * @param count the number of times of histograms
   * @param seconds their sum
   */
  public record Past(double value, long count, double seconds) {
    private static final Past NONE = new Past(0, 0, 0);

    private static Past of(Series s) {
      if (s.latency != null) {
        Latency.Seen seen = s.latency.look();
        return new Past(0, seen.count(), seen.seconds());
      }
      return s.kept ? NONE : new Past(s.value.getAsDouble(), 0, 0);
    }

    private Past plus(Past more) {
      return new Past(value + more.value, count + more.count, seconds + more.seconds);
    }
  }

  /**
   * One metric: its supplier or its histogram; the other is null.
   *
   * @param kept whether somebody keeps the number beyond the part that shows it
   */
  private record Series(DoubleSupplier value, Latency latency, boolean kept) {}

  /** All metrics of one name, ordered by their labels. */
  private record Named(String help, Kind kind, Map<Labels, Series> series) {
    Named copy() {
      Map<Labels, Series> all = new TreeMap<>(ORDER);
      all.putAll(series);
      return new Named(help, kind, all);
    }
  }

  private static final Comparator<Labels> ORDER = Comparator.comparing(l -> l.values().toString());

  private final Map<String, Named> byName = new TreeMap<>();
  private final Map<String, Past> past = new HashMap<>();
  private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

  /**
   * The metrics of one part, which go when the part closes. What a later part shows under the same
   * name and labels takes the place of what this one shows. Thread-safe.
   */
  public final class Group implements AutoCloseable {
    private final Map<String, Map<Labels, Series>> own = new HashMap<>();

    private Group() {}

    /** Makes a counter. */
    public Counter counter(String name, String help, Labels labels) {
      Counter made = new Counter();
      counter(name, help, labels, made::value);
      return made;
    }

    /** Shows a number that somebody else counts. */
    public void counter(String name, String help, Labels labels, LongSupplier value) {
      add(name, help, Kind.COUNTER, labels, new Series(value::getAsLong, null, false));
    }

    /**
     * Shows a number that only grows and that somebody else keeps. A part after this one shows it
     * again, so that it does not go into {@link Metrics#past}.
     *
     * @param value gives it, or not a number while it is unknown; must not block
     */
    public void keptCounter(String name, String help, Labels labels, DoubleSupplier value) {
      add(name, help, Kind.COUNTER, labels, new Series(value, null, true));
    }

    /** Shows the wall clock, so that whoever looks can compare it with his own. */
    public void clock() {
      gauge(
          "salus_clock_seconds",
          "The clock of this process' machine, in seconds since 1970",
          Labels.NONE,
          () -> System.currentTimeMillis() / MILLIS);
    }

    /**
     * Shows a number that goes up and down.
     *
     * @param value gives it, or not a number while it is unknown; must not block
     */
    public void gauge(String name, String help, Labels labels, DoubleSupplier value) {
      add(name, help, Kind.GAUGE, labels, new Series(value, null, true));
    }

    /** Makes a histogram. */
    public Latency latency(String name, String help, Labels labels) {
      Latency made = new Latency();
      add(name, help, Kind.HISTOGRAM, labels, new Series(null, made, false));
      return made;
    }

    private synchronized void add(
        String name, String help, Kind kind, Labels labels, Series series) {
      Metrics.this.add(name, help, kind, labels, series);
      own.computeIfAbsent(name, n -> new HashMap<>()).put(labels, series);
    }

    /** Removes the metrics of this group. What they have counted stays in {@link #past}. */
    @Override
    public synchronized void close() {
      own.forEach((name, series) -> series.values().forEach(s -> remember(name, Past.of(s))));
      own.forEach(Metrics.this::remove);
      own.clear();
    }
  }

  /** Is told of names, each once, with the labels of one metric of that name. */
  public interface Watcher {
    void named(String name, Kind kind, Labels labels);
  }

  /** Ends a watcher's calls. */
  public interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  /** Tells {@code watcher} all names, now and whenever there is a new one. It must not block. */
  public Watch watch(Watcher watcher) {
    synchronized (this) {
      watchers.add(watcher);
      byName.forEach(
          (name, n) ->
              n.series.keySet().stream()
                  .findFirst()
                  .ifPresent(labels -> watcher.named(name, n.kind, labels)));
    }
    return () -> watchers.remove(watcher);
  }

  /** Begins a group of metrics. */
  public Group group() {
    return new Group();
  }

  private synchronized void add(String name, String help, Kind kind, Labels labels, Series series) {
    boolean isTotal = name.endsWith(TOTAL);
    if (!NAME.matcher(name).matches()
        || isTotal != (kind == Kind.COUNTER)
        || kind == Kind.HISTOGRAM && !name.endsWith(SECONDS)) {
      throw new IllegalArgumentException("'" + name + "' is no name of a " + kind);
    }
    boolean isNew = !byName.containsKey(name);
    Named named = byName.computeIfAbsent(name, n -> new Named(help, kind, new TreeMap<>(ORDER)));
    if (named.kind != kind || !named.help.equals(help)) {
      throw new IllegalArgumentException(name + " is another metric already");
    }
    named.series.put(labels, series);
    if (isNew) {
      watchers.forEach(w -> w.named(name, kind, labels));
    }
  }

  private synchronized void remember(String name, Past ended) {
    past.merge(name, ended, Past::plus);
  }

  /** What closed groups have counted under this name. */
  public synchronized Past past(String name) {
    return past.getOrDefault(name, Past.NONE);
  }

  private synchronized void remove(String name, Map<Labels, Series> gone) {
    Named named = byName.get(name);
    if (named != null) {
      gone.forEach(named.series::remove);
      if (named.series.isEmpty()) {
        byName.remove(name);
      }
    }
  }

  /** Looks at all metrics, by name. */
  public List<Family> look() {
    List<Family> all = new ArrayList<>();
    copy().forEach((name, named) -> all.add(family(name, named)));
    return all;
  }

  /** Looks at the metrics of one name; empty if there are none. */
  public Optional<Family> look(String name) {
    Named named;
    synchronized (this) {
      named = byName.containsKey(name) ? byName.get(name).copy() : null;
    }
    return Optional.ofNullable(named).map(n -> family(name, n));
  }

  /** Suppliers are not called under the lock. */
  private synchronized Map<String, Named> copy() {
    Map<String, Named> copy = new TreeMap<>();
    byName.forEach((name, n) -> copy.put(name, n.copy()));
    return copy;
  }

  private static Family family(String name, Named n) {
    List<Sample> samples = new ArrayList<>();
    List<Timed> times = new ArrayList<>();
    n.series.forEach(
        (labels, s) -> {
          if (s.latency == null) {
            samples.add(new Sample(labels, s.value.getAsDouble()));
          } else {
            times.add(new Timed(labels, s.latency.look()));
          }
        });
    return new Family(name, n.help, n.kind, samples, times);
  }
}
