package org.salus.core.member;

import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.wire.MalformedException;

/**
 * M0's care for the next segment. It is agreed on and created while the current one fills, so that
 * writes need not wait at a full segment. If there is no room for it, M0 refuses sub-batches before
 * it logs anything of them.
 */
final class SegmentRoller {
  /** Bytes kept free at a segment's end for control records. */
  private static final long RESERVE = 64 << 10;

  /** A segment counts as full if its blocks take fewer bytes than this on average. */
  private static final int LEAST_BYTES = 256;

  private final RegionContext c;
  private final RecordRelay relay;
  private long rolledTo;
  private long created;
  private boolean noSpace;
  private Entry roll;

  SegmentRoller(RegionContext c, RecordRelay relay) {
    this.c = c;
    this.relay = relay;
  }

  /**
   * Makes {@code c.next} a place where a sub-batch's record of this length, in bytes, fits. Returns
   * null, or why there is none.
   */
  Refusal makeRoom(long length) {
    return makeRoom(length, RESERVE);
  }

  /** Like {@link #makeRoom(long)}, for a control record. */
  Refusal makeRoomForControl() {
    return makeRoom(RESERVE / 4, 0);
  }

  private Refusal makeRoom(long length, long reserve) {
    boolean manyBlocks = blocks() > mostBlocks();
    if (c.next.offset() + length <= c.spec.segmentBytes() - reserve
        && !(manyBlocks && c.next.segment() < created)) {
      return null;
    }
    if (c.unflushed() >= c.config.maxLiveSegments() && canFlush()) {
      return Refusal.BUSY;
    }
    long next = c.next.segment() + 1;
    if (created < next) {
      return noSpace ? Refusal.NO_SPACE : Refusal.BUSY;
    }
    c.segments.add(new SegmentEnd(c.next.segment(), c.next.offset()));
    c.next = new Position(next, 0);
    relay.proposeManifest();
    return null;
  }

  private long blocks() {
    return c.index.size(c.next.segment());
  }

  /** The most blocks of a segment. Zeroed blocks take memory, though no log. */
  private long mostBlocks() {
    return c.spec.segmentBytes() / LEAST_BYTES;
  }

  /**
   * Whether a flush is under way or possible. Batches that are issued again in new views may fill
   * the log while nothing is decided. Then only another segment helps.
   */
  private boolean canFlush() {
    return c.log.checkpoints().isFlushing() || c.log.nextFlush(c.segments) != null;
  }

  /** Proposes the next segment once a quarter of this one is used. */
  void afterAppend() {
    boolean quarter = c.next.offset() >= c.spec.segmentBytes() / 4 || blocks() >= mostBlocks() / 4;
    if (quarter && rolledTo <= c.next.segment()) {
      rolledTo = c.next.segment() + 1;
      relay.propose(LogRecord.Type.ROLL, new RollBody(rolledTo).encode());
    }
  }

  void onRollDurable(Entry e) {
    if (c.isPrimary()) {
      roll = e;
      requestSegment();
    }
  }

  private void requestSegment() {
    try {
      long next = RollBody.decode(roll.record.content()).next();
      if (created < next) {
        c.out.add(new MemberEffect.CreateSegment(next, roll.record.permission(roll.certificate)));
      }
    } catch (MalformedException x) {
      throw new IllegalStateException("checked record " + roll.record + " cannot be read", x);
    }
  }

  void onSegmentCreated(long segment, boolean ok, boolean full) {
    noSpace = full;
    if (ok) {
      created = Math.max(created, segment);
    }
  }

  /** Whether there was no room for the next segment when it was last asked for. */
  boolean isFull() {
    return noSpace && created <= c.next.segment();
  }

  /** Asks again for a segment that could not be created. */
  void retry() {
    if (roll != null && created <= c.next.segment()) {
      requestSegment();
    }
  }
}
