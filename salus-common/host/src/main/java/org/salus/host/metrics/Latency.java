package org.salus.host.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** How long something takes, as a histogram. Thread-safe; recording takes no lock. */
public final class Latency {
  /** Two digits: a bucket's edge is at most 1 % off. */
  private static final int DIGITS = 2;

  /**
   * A longer time counts as this one, so that a stuck request does not make the histogram large.
   */
  private static final long MOST_MICROS = TimeUnit.HOURS.toMicros(1);

  /** The buckets' upper edges in microseconds. */
  private static final long[] EDGES = {
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
    60_000_000,
    300_000_000
  };

  private static final double MICROS = 1e6;
  private static final double NANOS = 1e9;

  private final Recorder recorder = new Recorder(DIGITS);
  private final LongAdder nanos = new LongAdder();

  /** All that was recorded up to the last look. */
  private final Histogram all = new Histogram(DIGITS);

  /** Used again at each look. */
  private Histogram since;

  Latency() {}

  /**
   * The number of times up to an edge.
   *
   * @param seconds the edge
   * @param count the times that are not longer, from the beginning
   */
  public record Bucket(double seconds, long count) {}

  /**
   * The histogram at one moment.
   *
   * @param buckets by rising edges; none stands for infinity
   * @param count the number of all times
   * @param seconds their sum
   * @param max the longest, in seconds; at most an hour
   */
  public record Seen(List<Bucket> buckets, long count, double seconds, double max) {}

  /** Takes a time in nanoseconds. A negative one counts as 0. */
  public void record(long timeNanos) {
    long time = Math.max(0, timeNanos);
    recorder.recordValue(Math.min(MOST_MICROS, TimeUnit.NANOSECONDS.toMicros(time)));
    nanos.add(time);
  }

  /** Takes the time since {@code began}, which is a value of {@link System#nanoTime}. */
  public void since(long began) {
    record(System.nanoTime() - began);
  }

  /** Looks at all that was recorded so far. Only those who look wait for each other. */
  public synchronized Seen look() {
    double seconds = nanos.sum() / NANOS;
    since = recorder.getIntervalHistogram(since);
    all.add(since);
    List<Bucket> buckets = new ArrayList<>(EDGES.length);
    for (long edge : EDGES) {
      buckets.add(new Bucket(edge / MICROS, all.getCountBetweenValues(0, edge)));
    }
    return new Seen(buckets, all.getTotalCount(), seconds, all.getMaxValue() / MICROS);
  }
}
