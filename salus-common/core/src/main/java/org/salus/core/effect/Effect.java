package org.salus.core.effect;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.Generation;
import org.salus.core.log.LogReader;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.member.KnownLog;
import org.salus.core.message.Message;
import org.salus.core.message.Message.SegmentEnd;

/**
 * One thing for the host to do. Buffers are read, never changed; the host duplicates what it needs
 * longer.
 */
public sealed interface Effect {

  /**
   * Sends a message; {@code payload} may be null. Losing it is allowed, altering it is detected.
   */
  record Send(Endpoint to, Message message, ByteBuffer payload) implements Effect {}

  /**
   * Appends bytes at a position of this member's own replica; positions of one segment come in
   * order and without gaps. When the DataNode has them (with {@code sync}: on disk, with everything
   * before) the host reports {@code RegionMember.onDurable(end)}; reports are cumulative and in
   * order. A first append at offset 0 of a segment finishes this member's replica of the segment
   * before.
   */
  record Append(Position at, List<ByteBuffer> bytes, boolean sync) implements Effect {}

  /**
   * Creates the file of a segment at the NameNode with a certified record as permission; at M0
   * only.
   */
  record CreateSegment(long segment, byte[] permission) implements Effect {}

  /**
   * The live files are those that the manifest names: lets go of others. At M0 completes at the
   * NameNode what is still open, and deletes what {@link ManifestBody#discards} and {@link
   * ManifestBody#discardsCheckpoint} allow.
   *
   * @param segment where the manifest stands
   * @param permission the manifest with its certificate
   * @param primary whether this is M0
   */
  record Tidy(ManifestBody manifest, long segment, byte[] permission, boolean primary)
      implements Effect {}

  /**
   * Creates the file of a checkpoint of at most so many bytes; at M0 only. Idempotent, asked again
   * until it is built.
   */
  record CreateCheckpoint(long checkpoint, long bytes, byte[] permission) implements Effect {}

  /**
   * Writes this member's own replica of a checkpoint, once its file is there, with the content that
   * {@code CheckpointBuilder.flush} makes; when it is finished and on disk: {@code onBuilt}.
   *
   * @param segment that the content is of
   * @param older the live checkpoints, newest first
   */
  record Flush(long checkpoint, long segment, Generation.Snapshot content, List<Long> older)
      implements Effect {}

  /**
   * As {@link Flush}, of checkpoints of a level, newest first, by {@code
   * CheckpointBuilder.compact}; a higher level takes longer.
   */
  record Compact(long checkpoint, int level, List<Long> inputs, boolean oldest) implements Effect {}

  /**
   * Looks up leaf hashes in own replicas of checkpoints, newest first: for each page {@code
   * onPageLoaded} or {@code onPageUnreadable}.
   */
  record LoadPages(int version, List<Long> pages, List<Long> checkpoints) implements Effect {}

  /**
   * Hands the root of every page in these checkpoints, oldest first, to {@code onRoot}, then calls
   * {@code onRootsLoaded}.
   */
  record LoadRoots(List<Long> checkpoints) implements Effect {}

  /** This member cannot go on, for its replicas are not what was certified: stop it. */
  record Unable(String why) implements Effect {}

  /**
   * The member at this place in the chain differs from the others: the master is to go on without
   * it. Where two differ, {@code place} is -1: only a third can tell who is right.
   */
  record Suspect(int place, String what) implements Effect {}

  /**
   * For long, nothing has come through the member that acts in this lane, though it may run: the
   * master is to go on without it. No proof: when it is right, another one is to blame, and will
   * be.
   */
  record Stalled(int region, int epoch, int lane, String what) implements Effect {}

  /**
   * Reads each segment of this member's own replicas as far as it is valid: answer {@code
   * onScanned}.
   *
   * @param known what of it need not be read, where the replica is still as long; not to be used
   *     after the answer
   */
  record ScanLog(KnownLog known) implements Effect {}

  /**
   * Fences old writers and makes every replica of each segment exactly as long as given; removes
   * segment files that are not named. Where no replica is valid that far, none gets more than it
   * has. A segment's file stays open: it is completed by a {@link Tidy}, when all members have
   * replayed it to that length. At M0 only; answer {@code onRecovered} or {@code onRefuted}.
   * Idempotent.
   */
  record RecoverSegments(List<Level> segments, byte[] permission) implements Effect {}

  /**
   * One segment whose replicas are to be equal.
   *
   * @param holder the place of a member that says that its own replica is valid that far, or that
   *     it has found such a one
   * @param valid up to where each member, in chain order, says that of its own: what lies behind is
   *     made anew
   */
  record Level(SegmentEnd end, int holder, List<Long> valid) {
    /**
     * Up to where each member says that of its own: what lies behind is to be checked before it is
     * copied.
     */
    public long common() {
      return valid.stream().mapToLong(Long::longValue).min().orElse(0);
    }
  }

  /**
   * Hands every record of the named segments, in order, to {@code onReplay}, then calls {@code
   * onReplayed}; {@code onReplayFailed} when no replica of a segment can be read to its end. Where
   * the own replica, which is read first, is not valid to its end, {@code onOwnReplicaEnds} tells
   * how far it is, before another one is read.
   *
   * @param from where to begin in the first of them, null at its head
   */
  record ReplayLog(List<SegmentEnd> segments, LogReader.Mark from) implements Effect {}

  /** The epoch serves: record it. At M0 only. */
  record Serving(int epoch) implements Effect {}

  /**
   * Reads blocks from own replicas and answers a GET; which of them are zeros, load and payload are
   * the host's to fill in.
   *
   * @param first local index of the first block
   * @param pieces where the blocks are, in order
   * @param checkpoints where to look blocks up, newest first
   */
  record ServeGet(
      Endpoint to,
      long id,
      int lane,
      long first,
      int count,
      List<Piece> pieces,
      List<Long> checkpoints)
      implements Effect {}

  /**
   * Neighbouring blocks that are zeros, lie side by side in a log segment, or are to be looked up
   * in checkpoints.
   */
  record Piece(Kind kind, int blocks, long segment, long offset) {
    /** Where blocks are. */
    public enum Kind {
      ZERO,
      LOG,
      CHECKPOINT
    }
  }

  /** A request is done: a read's buffer is filled, a write or flush is acknowledged. */
  record Done(long id) implements Effect {}

  /**
   * Which of the blocks from the one that was asked for read as zeros: at least one block is told
   * of.
   */
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

  /**
   * Writes after {@code prefix} up to {@code acked}, which the mount before had acknowledged, were
   * lost by all replicas of a region before anything had made them durable, as in a power cut of
   * every server: the volume is as it was after {@code prefix}.
   */
  record WentBack(long prefix, long acked) implements Effect {}

  /**
   * Something is not as it should be: tell operators.
   *
   * @param epoch of the region in which it was seen; 0 when that does not matter
   * @param lane whose member it is about; -1 where it ends the session, whose {@code Failed} and
   *     {@code Ended} follow
   * @param wrong the member answered with what the volume tree does not confirm, and another member
   *     rightly, or refused for a reason that cannot be: the master is to hear of it
   */
  record Report(int region, int epoch, int lane, boolean wrong, String what) implements Effect {
    /** About no answer of a member. */
    public Report(int region, int lane, String what) {
      this(region, 0, lane, false, what);
    }
  }

  /**
   * Members say at a mount what cannot all be true, and nobody has proved whose word is wrong: the
   * master is to go on with others beside them. The mount waits for that.
   *
   * @param lane whose member differs from two others; where all three differ one of them, by turns
   */
  record Disagree(int region, int epoch, int lane, String what) implements Effect {}

  /**
   * No member of a region has these blocks as the volume tree says; reads of them are tried again
   * until their time is over.
   *
   * @param blocks of the volume, sorted
   * @param what each member answered
   */
  record Unreadable(int region, List<Long> blocks, String what) implements Effect {}

  /** Blocks that were {@link Unreadable} are there again, or written anew. */
  record Readable(List<Long> blocks) implements Effect {}

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
