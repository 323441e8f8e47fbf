package org.salus.master;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.salus.core.Lanes;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.metrics.Counter;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

/**
 * Counts what the master sees and does of one volume. Replacements, states and members are those of
 * the regions' records, so a new master goes on with the same numbers. Thread-safe.
 */
final class VolumeMeter implements AutoCloseable {
  private final Metrics.Group group;
  private final Counter opened;
  private final Counter counted;
  private final Counter refused;

  /** The newest record of each region. */
  private final Map<Integer, RrsRecord> records = new ConcurrentHashMap<>();

  /** The regions whose records were looked for. */
  private final Set<Integer> looked = ConcurrentHashMap.newKeySet();

  /** Whether all regions' records were looked for, so that sums do not jump any more. */
  private volatile boolean whole;

  /** The number of regions, or 0 while the volume is not to be served. */
  private volatile int regions;

  VolumeMeter(Metrics metrics, String volume) {
    Labels of = Labels.of("volume", volume);
    group = metrics.group();
    opened = group.counter("salus_epochs_opened_total", "Epochs that this master has opened", of);
    counted = accusations(of, "counted");
    refused = accusations(of, "refused");
    for (Cause cause : Cause.values()) {
      AtomicLong most = new AtomicLong();
      group.keptCounter(
          "salus_replacements_total",
          "Epochs that the next one has replaced, by cause, since the volume was made",
          of.with("cause", cause.name().toLowerCase(Locale.ROOT)),
          () -> replaced(cause, most));
    }
    for (RrsRecord.State state : RrsRecord.State.values()) {
      group.gauge(
          "salus_volume_regions",
          "Regions by the state of their records",
          of.with("state", state.name().toLowerCase(Locale.ROOT)),
          () -> sum(r -> r.state() == state ? 1 : 0));
    }
    group.gauge(
        "salus_volume_regions_without_record",
        "Regions that have no members yet",
        of,
        () -> Math.max(0, regions - records.size()));
    group.gauge(
        "salus_volume_missing_members",
        "Members that regions have less than three each",
        of,
        () -> sum(r -> Lanes.COUNT - r.members().size()));
  }

  private Counter accusations(Labels of, String result) {
    return group.counter(
        "salus_accusations_total",
        "Accusations of sessions that the master has heard",
        of.with("result", result));
  }

  /** A record may go, as in a deletion, but a counter must not fall. */
  private double replaced(Cause cause, AtomicLong most) {
    long now = sum(r -> r.history().replacements().getOrDefault(cause, 0));
    return whole ? most.accumulateAndGet(now, Math::max) : Double.NaN;
  }

  private long sum(ToLongFunction<RrsRecord> of) {
    return records.values().stream().mapToLong(of).sum();
  }

  /** Takes a region's record, or null if it has none. */
  void sees(int region, RrsRecord record) {
    if (record == null) {
      records.remove(region);
    } else {
      records.put(region, record);
    }
    looked.add(region);
    whole = whole || regions > 0 && looked.size() >= regions;
  }

  /** Says how many regions are to serve. With 0, the volume is being deleted or restored. */
  void expects(int count) {
    regions = count;
    records.keySet().removeIf(r -> r >= count);
  }

  void opened() {
    opened.increment();
  }

  void heard(boolean counts) {
    (counts ? counted : refused).increment();
  }

  @Override
  public void close() {
    group.close();
  }
}
