package org.salus.regionserver.meter;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.salus.core.RegionId;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.wire.MalformedException;
import org.salus.host.MemberFigures;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;

/**
 * Measures this server's member of one region. The member itself says how it is, as it does to
 * clients, but for the region root, which costs reads. It is asked only while somebody looks at the
 * metrics. Only the region's loop calls what the member does; any thread may look.
 */
public final class RegionMeter implements AutoCloseable {
  /** The shortest time between two questions to the member. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this time the member's last answer is not shown any more. */
  private static final long OLD_NANOS = TimeUnit.MINUTES.toNanos(3);

  /** The time between two batches that are measured, because decoding a batch costs time. */
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A measured batch that is not committed by then was lost or refused. */
  private static final long LOST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private record Seen(StatusReply status, MemberFigures figures, long at) {}

  private final VolumeMeter volume;
  private final Metrics.Group group;

  /** Of the member that is here, or null. */
  private volatile Waits waits;

  private volatile Seen seen;
  private volatile boolean wanted;
  private long asked = System.nanoTime() - PAUSE_NANOS;

  /** The last seq of the batch that is being measured, or 0. */
  private long sampled;

  private long sampledMount;

  private long sampledAt = System.nanoTime() - SAMPLE_NANOS;

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
    waiting(of, Waits.READ, Waits.Seen::reads);
    waiting(of, Waits.BATCH, Waits.Seen::batches);
    group.gauge(
        "salus_region_oldest_request_seconds",
        "Time for which the oldest of these requests has waited, or 0",
        of,
        () -> lookAtWaits(s -> s.oldest(System.nanoTime()) / NANOS));
  }

  private void waiting(Labels of, String kind, ToDoubleFunction<Waits.Seen> number) {
    group.gauge(
        "salus_region_waiting_requests",
        "Requests that wait at the member here",
        of.with("kind", kind),
        () -> lookAtWaits(number));
  }

  private double lookAtWaits(ToDoubleFunction<Waits.Seen> what) {
    return waits().map(what::applyAsDouble).orElse(Double.NaN);
  }

  private void gauge(String name, String help, Labels of, ToDoubleFunction<MemberFigures> figure) {
    group.gauge(name, help, of, () -> look(s -> figure.applyAsDouble(s.figures())));
  }

  private double look(ToDoubleFunction<Seen> what) {
    wanted = true;
    Seen s = seen;
    return s == null || System.nanoTime() - s.at() > OLD_NANOS ? Double.NaN : what.applyAsDouble(s);
  }

  public VolumeMeter volume() {
    return volume;
  }

  /** Begins to show a new member, and returns what takes note of its requests. */
  public synchronized Waits begins() {
    waits = new Waits(volume::slow);
    return waits;
  }

  /** The requests that wait at the member; empty if there is none. Any thread may call it. */
  public Optional<Waits.Seen> waits() {
    return Optional.ofNullable(waits).flatMap(Waits::seen);
  }

  /** Whether the member is to be asked now for its figures. */
  public boolean asks(long now) {
    boolean asks = wanted && now - asked >= PAUSE_NANOS;
    if (asks) {
      wanted = false;
      asked = now;
    }
    return asks;
  }

  /** Takes the member's answer. */
  public void hears(StatusReply r, long now) {
    seen = new Seen(r, MemberFigures.of(r), now);
  }

  /** Takes note of a message that the member is about to get. */
  public void comes(Message m, long now) {
    if (m instanceof Commit c) {
      committed(c, now);
    } else if (m instanceof PutRequest p && mayMeasure(now)) {
      measure(p, now);
    }
  }

  private boolean mayMeasure(long now) {
    return now - sampledAt >= (sampled == 0 ? SAMPLE_NANOS : LOST_NANOS);
  }

  private void measure(PutRequest p, long now) {
    try {
      SubBatch b = SubBatch.decode(p.content());
      sampled = b.last();
      sampledMount = b.mountEpoch();
      sampledAt = now;
    } catch (MalformedException refused) {
      sampled = 0; // the member refuses it
    }
  }

  /** Takes note of a message that the member sends. */
  public void goes(Message m, long now) {
    if (m instanceof Commit c) {
      committed(c, now);
    }
  }

  private void committed(Commit c, long now) {
    if (sampled != 0 && c.mountEpoch() == sampledMount && c.seq() >= sampled) {
      if (now - sampledAt < LOST_NANOS) { // else another member may have got it
        volume.committed(now - sampledAt);
      }
      sampled = 0;
    }
  }

  /**
   * Forgets the member, which has ended, unless another one is here by now. Any thread may call it.
   *
   * @param of what {@link #begins} has returned for it
   */
  public synchronized void ended(Waits of) {
    if (waits == of) {
      seen = null;
      waits = null;
    }
  }

  @Override
  public void close() {
    group.close();
  }
}
