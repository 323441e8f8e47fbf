package org.salus.core.effect;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.checkpoint.Generation;
import org.salus.core.log.LogReader;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.scan.KnownLog;

/**
 * One thing that a region's member asks of its host. The host reads buffers and never changes them;
 * it duplicates what it needs longer.
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
   * Performs effects, at the host. It has a method for each, so a host that forgets one does not
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

    void registerEpoch(RegisterEpoch effect);

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
   * Reads blocks from this member's own replicas and answers a GET. The host fills in the zero
   * bits, the load and the payload.
   *
   * @param first local index of the first block
   * @param pieces where the blocks are, in order
   * @param checkpoints the checkpoints in which to look blocks up, newest first
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
   * Neighbouring blocks that are zeros, lie side by side in a log segment, or must be looked up in
   * checkpoints.
   */
  record Piece(Kind kind, int blocks, long segment, long offset) {
    /** The place of a run of blocks. */
    public enum Kind {
      ZERO,
      LOG,
      CHECKPOINT
    }
  }

  // ---- words to the master ----

  /** Tells the master that the epoch serves. At M0 only. */
  record Serving(int epoch) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.serving(this);
    }
  }

  /**
   * Tells the master that the member at this place in the chain differs from the others and should
   * be left out. If two differ, {@code place} is -1: only a third can tell who is right.
   */
  record Suspect(int place, String what) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.suspect(this);
    }
  }

  /** Stops this member: it cannot go on, because its replicas are not what was certified. */
  record Unable(String why) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.unable(this);
    }
  }

  // ---- files at the NameNode ----

  /** Changes files at the NameNode; a certified record permits it. */
  sealed interface AtNameNode extends MemberEffect
      permits CreateSegment, RegisterEpoch, Tidy, CreateCheckpoint, RecoverSegments {
    /** The record with its certificate, as {@code Permission} encodes it. */
    byte[] permission();
  }

  /** Creates the file of a segment at the NameNode. At M0 only. */
  record CreateSegment(long segment, byte[] permission) implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.createSegment(this);
    }
  }

  /**
   * Has the NameNode count the replicas that the recovery has made equal, and no others, and know
   * that the epoch serves ({@link org.salus.core.replacement.EpochRegister#serves}). Each member
   * asks for itself, and says nothing for a batch before the answer, {@code onRegistered}.
   * Idempotent.
   *
   * @param proof that all members have the epoch's first manifest
   */
  record RegisterEpoch(WrittenManifest proof) implements AtNameNode {
    @Override
    public byte[] permission() {
      return proof.manifest();
    }

    @Override
    public void performBy(Handler handler) {
      handler.registerEpoch(this);
    }
  }

  /**
   * Creates the file of a checkpoint of at most {@code bytes} bytes. At M0 only. It is idempotent,
   * and repeated until the checkpoint is built.
   */
  record CreateCheckpoint(long checkpoint, long bytes, byte[] permission) implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.createCheckpoint(this);
    }
  }

  /**
   * Fences old writers and equalizes the replicas of each segment at the given length. If no
   * replica is valid that far, none gets more than it has. Others stay as they are, and count as
   * before. A segment's file stays open: a {@link Tidy} completes it, once all members have
   * replayed it to that length. At M0 only. The answer is {@code onRecovered}, {@code onBehind} or
   * {@code onRefuted}. Idempotent.
   *
   * @param required the places of the members whose DataNodes are asked even if the NameNode does
   *     not know of their replicas, and without which recovery does not go on
   */
  record RecoverSegments(List<ToEqualize> segments, List<Integer> required, byte[] permission)
      implements AtNameNode {
    @Override
    public void performBy(Handler handler) {
      handler.recoverSegments(this);
    }
  }

  /**
   * One segment whose replicas must be equalized.
   *
   * @param holder the place of a member that says that its own replica is valid that far, or that
   *     it has found such a replica
   * @param valid the length up to which each member, in chain order, says that its own replica is
   *     valid, in bytes; the rest is copied
   */
  record ToEqualize(SegmentEnd end, int holder, List<Long> valid) {
    /**
     * The length, in bytes, up to which every member says that its own replica is valid. Bytes
     * beyond must be checked before they are copied.
     */
    public long common() {
      return valid.stream().mapToLong(Long::longValue).min().orElse(0);
    }
  }

  /**
   * Lets go of files that the manifest does not name: they are no longer live. At M0 it also
   * completes open files at the NameNode, and deletes what {@link ManifestBody#discards} and {@link
   * ManifestBody#discardsCheckpoint} allow.
   *
   * @param segment the segment in which the manifest stands
   * @param proof the manifest with its certificate; at M0 with the words of all members, too
   * @param primary whether this is M0
   */
  record Tidy(ManifestBody manifest, long segment, WrittenManifest proof, boolean primary)
      implements AtNameNode {
    @Override
    public byte[] permission() {
      return proof.encode();
    }

    @Override
    public void performBy(Handler handler) {
      handler.tidy(this);
    }
  }

  // ---- this member's own replicas of the log ----

  /**
   * Appends bytes at a position of this member's own replica. Positions of one segment come in
   * order and without gaps. When the bytes are written (with {@code sync}: on disk, with everything
   * before), the host reports {@code RegionMember.onDurable(end)}. Reports are cumulative and in
   * order. The first append at offset 0 of a segment finishes this member's replica of the segment
   * before.
   */
  record Append(Position at, List<ByteBuffer> bytes, boolean sync) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.append(this);
    }
  }

  /**
   * Reads each segment of this member's own replicas as far as it is valid. The host first shows
   * the NameNode the epoch's link ({@link org.salus.core.replacement.EpochRegister#opens}), and
   * waits until that knows it. The answer is {@code onScanned}.
   *
   * @param known the part that need not be read if the replica is still that long; the host must
   *     not use it after the answer
   * @param epoch the member's epoch
   */
  record ScanLog(KnownLog known, int epoch) implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.scanLog(this);
    }
  }

  /**
   * Hands every record of the named segments, in order, to {@code onReplay}, then calls {@code
   * onReplayed}. It calls {@code onReplayFailed} if no replica of a segment can be read to its end.
   * The host reads this member's own replica first. Before {@code onReplayed} it also calls {@code
   * onOwnReplica} for each agreed segment. It leaves out one that it cannot look at now, and is
   * asked again.
   *
   * @param from the place to begin in the first segment; null at its head
   * @param agreed the segments of which this member's own replica must be equal to the others
   */
  record ReplayLog(List<SegmentEnd> segments, LogReader.Mark from, List<SegmentEnd> agreed)
      implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.replayLog(this);
    }
  }

  // ---- this member's own replicas of checkpoints ----

  /**
   * Writes this member's own replica of a checkpoint, once its file is there, with the content that
   * {@code CheckpointBuilder.flush} makes. The answer is {@code onBuilt}, when the replica is
   * finished and on disk.
   *
   * @param segment the segment that is flushed
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
   * Like {@link Flush}, but merges checkpoints, newest first, by {@code CheckpointBuilder.compact}.
   * A higher level takes longer.
   */
  record Compact(long checkpoint, int level, List<Long> inputs, boolean oldest)
      implements MemberEffect {
    @Override
    public void performBy(Handler handler) {
      handler.compact(this);
    }
  }

  /**
   * Looks up leaf hashes in this member's own replicas of checkpoints, newest first. The answer for
   * each page is {@code onPageLoaded} or {@code onPageUnreadable}.
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
