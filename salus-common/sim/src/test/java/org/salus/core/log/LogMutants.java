package org.salus.core.log;

import java.util.List;
import java.util.function.Supplier;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;

/** Readers of logs, and meanings of logs, with a planted bug. */
public final class LogMutants {

  private LogMutants() {}

  /** Takes a record without a certificate. */
  public static LogReader ignoresCertificate(
      LogReader.Source source, RegionId region, long segment, Signer signer) {
    return new LogReader(source, region, segment, signer) {
      @Override
      boolean certified(LogRecord r) {
        return true;
      }
    };
  }

  /** Accepts sub-batches of a mount that is over. */
  public static final Supplier<LogState> DOES_NOT_FENCE =
      () ->
          new LogState() {
            @Override
            public No check(SubBatch b) {
              No no = super.check(b);
              return no != null && no.why() == Refusal.FENCED ? null : no;
            }
          };

  /** Lets an older mount in after a newer one. */
  public static final Supplier<LogState> ACCEPTS_OLD_MOUNTS =
      () ->
          new LogState() {
            @Override
            public No check(MountBody m) {
              return null;
            }
          };

  /** Lets a resolution cut what is settled. */
  public static final Supplier<LogState> RESOLVES_AGAIN =
      () ->
          new LogState() {
            @Override
            public No check(ResolveBody r) {
              return null;
            }
          };

  /** Flushes a segment in which something is undecided. */
  public static final Supplier<LogState> FLUSHES_UNDECIDED =
      () ->
          new LogState() {
            @Override
            public BuildBody nextFlush(List<SegmentEnd> closed) {
              return closed.stream()
                  .filter(s -> s.segment() > checkpoints().lastFlushed())
                  .findFirst()
                  .map(s -> checkpoints().flush(s.segment()))
                  .orElse(null);
            }
          };

  /** Takes for settled what is only logged. */
  public static final Supplier<LogState> SETTLES_EARLY =
      () ->
          new LogState() {
            @Override
            public void apply(SubBatch b, Position at, long payloadOffset) {
              super.apply(
                  new SubBatch(
                      b.mountEpoch(),
                      b.view(),
                      b.first(),
                      b.last(),
                      b.prevNum(),
                      b.last(),
                      b.durable(),
                      b.leader(),
                      b.prevLeader(),
                      b.sync(),
                      b.participants(),
                      b.volumeRoot(),
                      b.puts()),
                  at,
                  payloadOffset);
            }
          };

  /** Lets go of the oldest checkpoint as soon as there is another. */
  public static final Supplier<LogState> DROPS_CHECKPOINT =
      () ->
          new LogState() {
            @Override
            public ManifestBody manifest(List<String> members, List<SegmentEnd> segments) {
              ManifestBody m = super.manifest(members, segments);
              List<Checkpoint> kept =
                  m.checkpoints().size() < 2
                      ? m.checkpoints()
                      : m.checkpoints().subList(1, m.checkpoints().size());
              return new ManifestBody(
                  m.members(),
                  m.segments(),
                  m.mountEpoch(),
                  m.mountSignature(),
                  m.resolved(),
                  m.view(),
                  m.lastSeq(),
                  m.acked(),
                  m.durable(),
                  m.settledHere(),
                  m.settledLast(),
                  m.settledRoot(),
                  m.undecided(),
                  kept,
                  m.nextCheckpoint(),
                  m.building());
            }
          };

  /** Lets go of live segments. */
  public static final Supplier<LogState> DROPS_SEGMENT =
      () ->
          new LogState() {
            @Override
            public ManifestBody manifest(List<String> members, List<SegmentEnd> segments) {
              return super.manifest(
                  members, segments.size() < 2 ? segments : segments.subList(1, segments.size()));
            }
          };

  /** Has lost everything that was committed. */
  public static final Supplier<LogState> LOSES_COMMITTED =
      () ->
          new LogState() {
            @Override
            public No check(SubBatch b) {
              return b.prevNum() > 0 && b.prevNum() <= b.acked()
                  ? new No(Refusal.LOST, lastSeq())
                  : super.check(b);
            }

            @Override
            public long lastSeq() {
              return 0;
            }
          };

  /** Tells a mount neither what is acknowledged nor what is durable. */
  public static final Supplier<LogState> FORGETS_WATERMARK =
      () ->
          new LogState() {
            @Override
            public LogSummary summary() {
              LogSummary s = super.summary();
              return new LogSummary(0, 0, s.baseLast(), s.baseRoot(), s.prepared());
            }
          };
}
