package org.salus.core.member;

import java.util.Arrays;
import java.util.List;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.log.LogRecord;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.MountBody;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.core.wire.MalformedException;

/**
 * Replays the log on which an epoch's members have agreed (paper §4.4, phase 2), until it proves
 * not to be one. What the member knows of it comes first, then what its host reads.
 */
final class OpeningReplay {
  private final RegionContext c;
  private final EpochOpening opening;

  /** The part of the agreed log that must be read; null until the known part has been replayed. */
  private KnownLog.Replay unknown;

  private int replayedEpoch;
  private boolean begun;
  private SegmentEnd notALog;
  private String whyNot;

  OpeningReplay(RegionContext c, EpochOpening opening) {
    this.c = c;
    this.opening = opening;
  }

  /**
   * Replays the known part, if it has not been replayed yet. Returns the part that is not known.
   */
  KnownLog.Replay known() {
    if (unknown == null) {
      KnownLog.Replay replay = c.known.replay(opening.agreed().recovered());
      replay.known().forEach(this::apply);
      unknown = new KnownLog.Replay(List.of(), replay.rest(), replay.from());
    }
    return unknown;
  }

  /** Replays a record of the part that is not known. */
  void read(LogRecord r) {
    c.known.read(r);
    apply(r);
  }

  /** The agreed segment end that proved not to be a log, or null. */
  SegmentEnd notALog() {
    return notALog;
  }

  /** The reason why {@link #notALog} is none. */
  String whyNot() {
    return whyNot;
  }

  void isNoLog(SegmentEnd what, String why) {
    notALog = what;
    whyNot = why;
  }

  private void apply(LogRecord r) {
    if (notALog != null) {
      return;
    }
    try {
      switch (r.type()) {
        case MANIFEST -> replayManifest(r, ManifestBody.decode(r.content()));
        case BUILD -> c.log.apply(BuildBody.decode(r.content()));
        case BUILT -> {
          c.log.apply(BuiltBody.decode(r.content()));
          c.index.flushed(c.log.checkpoints().lastFlushed());
        }
        case PUT -> c.log.apply(SubBatch.decode(r.content()), r.at(), r.payloadOffset());
        case MOUNT ->
            c.log.apply(MountBody.decode(r.content()), MountBody.proof(r.epoch(), r.origin()));
        case RESOLVE -> {
          ResolveBody resolve = ResolveBody.decode(r.content());
          c.log.apply(resolve);
          c.goBack(resolve.prefix());
        }
        default -> {}
      }
    } catch (MalformedException e) {
      throw new IllegalStateException("certified record " + r + " cannot be read", e);
    }
    c.settle(true);
  }

  /**
   * Replays a manifest. The first one gives the state at the log's beginning; each later one must
   * equal what this member has computed.
   */
  private void replayManifest(LogRecord r, ManifestBody m) {
    if (LogScan.isVoid(r, opening.found().before().epoch())) {
      isNoLog(opening.agreed(r.at().segment()), "epoch " + r.epoch() + " has never served");
      return;
    }
    if (r.epoch() != replayedEpoch) {
      c.log.beginEpoch();
      replayedEpoch = r.epoch();
    }
    SegmentEnd contradicted = opening.contradicted(m.segments());
    if (contradicted != null) {
      isNoLog(contradicted, "the log goes on behind another end than " + contradicted);
      return;
    }
    if (!begun) {
      begun = true;
      c.log.apply(m);
    } else if (!Arrays.equals(c.log.manifest(m.members(), m.segments()).encode(), m.encode())) {
      throw new IllegalStateException(
          "manifest " + m + " differs from the log before it in " + c.region);
    }
  }
}
