package org.salus.core.effect;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.Generation;
import org.salus.core.log.KnownLog;
import org.salus.core.log.LogReader;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;

/**
 * One thing that a region's member asks of its host. Buffers are read, never changed; the host
 * duplicates what it needs longer.
 */
public sealed interface MemberEffect
    permits Send,
        Stalled,
        MemberEffect.AtNameNode,
        MemberEffect.ServeGet,
        MemberEffect.Serving,
        MemberEffect.Suspect,
        MemberEffect.Unable,
        MemberEffect.Append,
        MemberEffect.ScanLog,
        MemberEffect.ReplayLog,
        MemberEffect.Flush,
        MemberEffect.Compact,
        MemberEffect.LoadPages,
        MemberEffect.LoadRoots {

  /** Has the host perform this: calls the handler's method for it. */
  void performBy(Handler handler);

  /**
   * What a host does for each effect. It has a method for each, so a host that forgets one does not
   * compile.
   */
  interface Handler {
    void send(Send effect);

    void serveGet(ServeGet effect);

    void serving(Serving effect);

    void suspect(Suspect effect);

    void stalled(Stalled effect);

    void unable(Unable effect);

    void createSegment(CreateSegment effect);

    void createCheckpoint(CreateCheckpoint effect);

    void recoverSegments(RecoverSegments effect);

    void tidy(Tidy effect);

    void append(Append effect);

    void scanLog(ScanLog effect);

    void replayLog(ReplayLog effect);

    void flush(Flush effect);

    void compact(Compact effect);

    void loadPages(LoadPages effect);

    void loadRoots(LoadRoots effect);
  }

  // ---- messages ----

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
      implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.serveGet(this);
    }
  }

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

  // ---- words to the master ----

  /** The epoch serves: record it. At M0 only. */
  record Serving(int epoch) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.serving(this);
    }
  }

  /**
   * The member at this place in the chain differs from the others: the master is to go on without
   * it. Where two differ, {@code place} is -1: only a third can tell who is right.
   */
  record Suspect(int place, String what) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.suspect(this);
    }
  }

  /** This member cannot go on, for its replicas are not what was certified: stop it. */
  record Unable(String why) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.unable(this);
    }
  }

  // ---- files at the NameNode ----

  /** Changes files at the NameNode; a certified record permits it. */
  sealed interface AtNameNode extends MemberEffect
      permits CreateSegment, Tidy, CreateCheckpoint, RecoverSegments {
    /** The record with its certificate, as {@code Permission} encodes it. */
    byte[] permission();
  }

  /**
   * Creates the file of a segment at the NameNode with a certified record as permission; at M0
   * only.
   */
  record CreateSegment(long segment, byte[] permission) implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.createSegment(this);
    }
  }

  /**
   * Creates the file of a checkpoint of at most so many bytes; at M0 only. Idempotent, asked again
   * until it is built.
   */
  record CreateCheckpoint(long checkpoint, long bytes, byte[] permission) implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.createCheckpoint(this);
    }
  }

  /**
   * Fences old writers and makes every replica of each segment exactly as long as given; removes
   * segment files that are not named. Where no replica is valid that far, none gets more than it
   * has. A segment's file stays open: it is completed by a {@link Tidy}, when all members have
   * replayed it to that length. At M0 only; answer {@code onRecovered} or {@code onRefuted}.
   * Idempotent.
   */
  record RecoverSegments(List<ToEqualize> segments, byte[] permission) implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.recoverSegments(this);
    }
  }

  /**
   * One segment whose replicas are to be made equal.
   *
   * @param holder the place of a member that says that its own replica is valid that far, or that
   *     it has found such a one
   * @param valid up to where each member, in chain order, says that of its own: what lies behind is
   *     made anew
   */
  record ToEqualize(SegmentEnd end, int holder, List<Long> valid) {
    /**
     * Up to where each member says that of its own: what lies behind is to be checked before it is
     * copied.
     */
    public long common() {
      return valid.stream().mapToLong(Long::longValue).min().orElse(0);
    }
  }

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
      implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.tidy(this);
    }
  }

  // ---- this member's own replicas of the log ----

  /**
   * Appends bytes at a position of this member's own replica; positions of one segment come in
   * order and without gaps. When the DataNode has them (with {@code sync}: on disk, with everything
   * before) the host reports {@code RegionMember.onDurable(end)}; reports are cumulative and in
   * order. A first append at offset 0 of a segment finishes this member's replica of the segment
   * before.
   */
  record Append(Position at, List<ByteBuffer> bytes, boolean sync) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.append(this);
    }
  }

  /**
   * Reads each segment of this member's own replicas as far as it is valid: answer {@code
   * onScanned}.
   *
   * @param known what of it need not be read, where the replica is still as long; not to be used
   *     after the answer
   */
  record ScanLog(KnownLog known) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.scanLog(this);
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
  record ReplayLog(List<SegmentEnd> segments, LogReader.Mark from) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.replayLog(this);
    }
  }

  // ---- this member's own replicas of checkpoints ----

  /**
   * Writes this member's own replica of a checkpoint, once its file is there, with the content that
   * {@code CheckpointBuilder.flush} makes; when it is finished and on disk: {@code onBuilt}.
   *
   * @param segment that the content is of
   * @param older the live checkpoints, newest first
   */
  record Flush(long checkpoint, long segment, Generation.Snapshot content, List<Long> older)
      implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.flush(this);
    }
  }

  /**
   * As {@link Flush}, of checkpoints of a level, newest first, by {@code
   * CheckpointBuilder.compact}; a higher level takes longer.
   */
  record Compact(long checkpoint, int level, List<Long> inputs, boolean oldest)
      implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.compact(this);
    }
  }

  /**
   * Looks up leaf hashes in own replicas of checkpoints, newest first: for each page {@code
   * onPageLoaded} or {@code onPageUnreadable}.
   */
  record LoadPages(int version, List<Long> pages, List<Long> checkpoints) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.loadPages(this);
    }
  }

  /**
   * Hands the root of every page in these checkpoints, oldest first, to {@code onRoot}, then calls
   * {@code onRootsLoaded}.
   */
  record LoadRoots(List<Long> checkpoints) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.loadRoots(this);
    }
  }
}
