package org.salus.regionserver.meter;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.salus.core.RegionId;
import org.salus.host.MemberFigures;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.WaitsRecord.Cause;

/**
 * Shows this server's members of one region, one after the other, as metrics. How many requests
 * were slow counts on from member to member. Thread-safe.
 */
public final class RegionMeter implements AutoCloseable {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final VolumeMeter volume;
  private final Metrics.Group group;

  /** The newest member's, or null. */
  private volatile MemberMeter member;

  public RegionMeter(Metrics metrics, VolumeMeter volume, String name, RegionId region) {
    this.volume = volume;
    this.group = metrics.group();
    Labels of = Labels.of("volume", name).with("region", Integer.toString(region.index()));
    gauge("salus_region_serving", "1 if the member here serves", of, f -> f.serving() ? 1 : 0);
    group.gauge(
        "salus_region_epoch", "The member's epoch", of, () -> look(s -> s.status().epoch()));
    gauge("salus_region_watermark", "The member's watermark", of, MemberFigures::watermark);
    gauge(
        "salus_region_uncommitted_changes",
        "Changes in the member's log that are not known to be committed",
        of,
        MemberFigures::uncommitted);
    gauge(
        "salus_region_log_segments",
        "Log segments that are not in checkpoints",
        of,
        MemberFigures::segments);
    gauge("salus_region_log_bytes", "Bytes in those segments", of, MemberFigures::segmentBytes);
    gauge("salus_region_checkpoints", "Live checkpoints", of, MemberFigures::checkpoints);
    gauge(
        "salus_region_checkpoint_bytes",
        "Bytes in checkpoints and in the log segments that hold their blocks",
        of,
        MemberFigures::checkpointBytes);
    gauge("salus_region_builds", "Checkpoints that are being built", of, MemberFigures::builds);
    group.gauge(
        "salus_region_full",
        "1 if M0 has no room for the next log segment",
        of,
        () -> look(s -> s.status().full() ? 1 : 0));
    for (Cause cause : Cause.values()) {
      waiting(of.with("kind", kind(cause)), cause);
    }
  }

  private void waiting(Labels of, Cause cause) {
    group.gauge(
        "salus_region_waiting_requests",
        "Requests that wait at the member here",
        of,
        () -> lookAtWaits(cause, Waits.Seen::waiting));
    group.gauge(
        "salus_region_oldest_request_seconds",
        "Time for which the oldest of these requests has waited, or 0",
        of,
        () -> lookAtWaits(cause, s -> s.oldest(System.nanoTime()) / NANOS));
  }

  /** The label of a cause in metrics. */
  static String kind(Cause cause) {
    return cause.name().toLowerCase(Locale.ROOT);
  }

  private double lookAtWaits(Cause cause, ToDoubleFunction<Waits.Seen> what) {
    MemberMeter m = member;
    return m == null || m.isEnded()
        ? Double.NaN
        : m.waits().seen().stream()
            .filter(s -> s.cause() == cause)
            .mapToDouble(what)
            .findFirst()
            .orElse(Double.NaN);
  }

  private void gauge(String name, String help, Labels of, ToDoubleFunction<MemberFigures> figure) {
    group.gauge(name, help, of, () -> look(s -> figure.applyAsDouble(s.figures())));
  }

  private double look(ToDoubleFunction<MemberMeter.Said> what) {
    MemberMeter m = member;
    return m == null ? Double.NaN : m.said().map(what::applyAsDouble).orElse(Double.NaN);
  }

  /** Begins to show a new member, and returns what measures it. */
  public synchronized MemberMeter begins(Waits.Place place) {
    member = new MemberMeter(volume, new Waits(place, volume::slow, waits()));
    return member;
  }

  /** The requests that wait here, or were slow since this server's first member of the region. */
  public List<Waits.Seen> waits() {
    MemberMeter m = member;
    return m == null ? List.of() : m.waits().seen();
  }

  @Override
  public void close() {
    group.close();
  }
}
