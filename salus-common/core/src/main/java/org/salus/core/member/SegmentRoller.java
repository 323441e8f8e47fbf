package org.salus.core.member;

import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.log.RollBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.wire.MalformedException;

/**
 * M0's care for the next segment: it is agreed on and created while the current one fills, so that
 * a full segment stops nobody; and where there is no room for it, sub-batches are refused before
 * anything of them is logged.
 */
final class SegmentRoller {
  /** Kept free at a segment's end for control records. */
  private static final long RESERVE = 64 << 10;

  /** A segment of which each block takes less on average counts as full. */
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
   * Makes {@code c.next} a place where a sub-batch's record of this length fits: null, or why there
   * is none.
   */
  Refusal makeRoom(long length) {
    return makeRoom(length, RESERVE);
  }

  /** As {@link #makeRoom(long)}, for a control record. */
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

  /** Zeroing takes no log, but memory: so many blocks are enough for a segment. */
  private long mostBlocks() {
    return c.spec.segmentBytes() / LEAST_BYTES;
  }

  /**
   * Batches that are issued again and again in new views may fill the log while nothing is decided:
   * then only more log helps.
   */
  private boolean canFlush() {
    return c.log.checkpoints().isFlushing() || c.log.nextFlush(c.segments) != null;
  }

  /** A quarter of the segment is used: time to ask for the next. */
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

  /** Asks again for a segment that could not be created. */
  void retry() {
    if (roll != null && created <= c.next.segment()) {
      requestSegment();
    }
  }
}
