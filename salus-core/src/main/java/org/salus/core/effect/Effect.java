package org.salus.core.effect;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.log.Position;
import org.salus.core.message.Message;
import org.salus.core.message.Message.SegmentEnd;

/** One thing for the host to do. Buffers are read, never changed; the host duplicates what it needs longer. */
public sealed interface Effect {

  /** Sends a message; {@code payload} may be null. Losing it is allowed, altering it is detected. */
  record Send(Endpoint to, Message message, ByteBuffer payload) implements Effect {}

  /**
   * Appends bytes at a position of this member's own replica; positions of one segment come in order and without gaps.
   * When the DataNode has them (with {@code sync}: on disk, with everything before) the host reports {@code
   * RegionMember.onDurable(end)}; reports are cumulative and in order. A first append at offset 0 of a segment finishes
   * this member's replica of the segment before.
   */
  record Append(Position at, List<ByteBuffer> bytes, boolean sync) implements Effect {}

  /** Creates the file of a segment at the NameNode with a certified record as permission; at M0 only. */
  record CreateSegment(long segment, byte[] permission) implements Effect {}

  /** Completes the files of segments at the NameNode; at M0 only. */
  record CompleteSegments(List<SegmentEnd> segments, byte[] permission) implements Effect {}

  /** Reads the length of the valid part of each segment of this member's own replicas: answer {@code onScanned}. */
  record ScanLog() implements Effect {}

  /**
   * Fences old writers and makes every replica of each segment exactly as long as given; removes segment files that are
   * not named. At M0 only; answer {@code onRecovered}. Idempotent.
   *
   * @param holders for each segment a lane whose own replica is valid that far
   */
  record RecoverSegments(List<SegmentEnd> segments, List<Integer> holders, byte[] permission) implements Effect {}

  /** Hands every record of the named segments, in order, to {@code onReplay}, then calls {@code onReplayed}. */
  record ReplayLog(List<SegmentEnd> segments) implements Effect {}

  /** The epoch serves: record it. At M0 only. */
  record Serving(int epoch) implements Effect {}

  /** Reads extents and answers a GET; the host fills in load and payload. */
  record ServeGet(Endpoint to, long id, int lane, byte[] zero, List<Extent> extents) implements Effect {}

  /** Blocks that lie side by side in a segment of this member's own replica. */
  record Extent(long segment, long offset, int bytes) {}

  /** A request is done: a read's buffer is filled, a write or flush is acknowledged. */
  record Done(long id) implements Effect {}

  /** Which of the blocks from the one that was asked for read as zeros: at least one block is told of. */
  record ZeroMap(long id, List<Run> runs) implements Effect {}

  /** A run of blocks of one kind; neighbours differ. */
  record Run(long blocks, boolean zero) {}

  /** A request failed; nothing of it will become visible unless {@code why} says so. */
  record Failed(long id, SessionError why) implements Effect {}

  /** The session has mounted the volume and takes requests. */
  record Mounted() implements Effect {}

  /** The session is over; every request has failed or fails with this. */
  record Ended(SessionError why) implements Effect {}

  /** The RRS of a region seems to have changed: look it up again and report {@code onRrs}. */
  record LookUp(int region) implements Effect {}

  /** A member's answer did not match the tree: tell operators. {@code lane} may be -1. */
  record Report(int region, int lane, String what) implements Effect {}

  /** Why a session cannot do what it was asked. */
  enum SessionError {
    /** A newer mount exists. */
    FENCED,
    /** No room for log segments; what was acknowledged stays. */
    NO_SPACE,
    /** No member returned what the tree says, or roots disagree. */
    INTEGRITY,
    /** The cluster did not answer in time. */
    TIMED_OUT,
    /** The session was closed. */
    CLOSED
  }
}
