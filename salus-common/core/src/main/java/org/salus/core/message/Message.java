package org.salus.core.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Relied;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;

/**
 * All messages. Each concerns one region, which the envelope names. {@code epoch} is that of the
 * region's RRS, if the receiver must be a member of it. Signatures are the sender's over what the
 * Javadoc names.
 */
public sealed interface Message {

  /** How a receiver knows that a message is the sender's, is meant for it, and was not changed. */
  enum Proof {
    /** The envelope is sealed. */
    SEAL,
    /** The message has signatures of its own. They name all that they are about. */
    SIGNATURE,
    /** It does not: anybody may ask this. */
    NONE
  }

  /** A message that does not say otherwise needs a seal. */
  default Proof proof() {
    return Proof.SEAL;
  }

  /** A message with signatures of its own. */
  sealed interface Signed extends Message {
    @Override
    default Proof proof() {
      return Proof.SIGNATURE;
    }
  }

  /** A question that anybody may ask. */
  sealed interface Question extends Message {
    @Override
    default Proof proof() {
      return Proof.NONE;
    }
  }

  // ---- session to M0; logged along the chain ----

  /**
   * A sub-batch; the payload holds its data blocks.
   *
   * @param content a {@link org.salus.core.log.SubBatch}, encoded
   * @param payloadCrc CRC32C of the payload
   * @param signature the session's, over the {@link org.salus.core.log.LogRequest}
   */
  record PutRequest(int epoch, byte[] content, int payloadCrc, byte[] signature)
      implements Signed {}

  /**
   * Fences older mounts; {@code content} is a {@link org.salus.core.log.MountBody}.
   *
   * @param signature the session's, over the {@link org.salus.core.log.LogRequest}
   */
  record MountRequest(int epoch, byte[] content, byte[] signature) implements Signed {}

  /**
   * Commits a prefix and discards the rest; {@code content} is a {@link
   * org.salus.core.log.ResolveBody}.
   *
   * @param signature the session's, over the {@link org.salus.core.log.LogRequest}
   */
  record ResolveRequest(int epoch, byte[] content, byte[] signature) implements Signed {}

  // ---- session to any member ----

  /**
   * What a session's user relies on in a region of which a new epoch opens. Members hand it on to
   * each other. Signed over the fields and the region, in the session's name.
   */
  record Acknowledged(int epoch, Relied relied, byte[] signature) implements Signed {
    private static final byte[] PURPOSE = "acknowledged".getBytes(StandardCharsets.US_ASCII);

    private ByteBuffer[] signed(RegionId region) {
      ByteBuffer context =
          ByteBuffer.allocate(PURPOSE.length + Long.BYTES + Integer.BYTES)
              .put(PURPOSE)
              .putLong(region.volume())
              .putInt(region.index())
              .flip();
      return new ByteBuffer[] {context, MessageCodec.signed(this)};
    }

    /** The word of the session of a mount, signed. */
    public static Acknowledged sign(RegionId region, int epoch, Relied relied, Signer signer) {
      Acknowledged bare = new Acknowledged(epoch, relied, MessageCodec.NO_SIGNATURE);
      return new Acknowledged(
          epoch,
          relied,
          signer.sign(
              Signer.sessionName(region.volume(), relied.mountEpoch()), bare.signed(region)));
    }

    /** Whether the session of this mount has signed it for this region. */
    public boolean isSigned(RegionId region, Signer signer) {
      return signer.verifies(
          Signer.sessionName(region.volume(), relied.mountEpoch()), signature, signed(region));
    }
  }

  /**
   * Reads {@code count} blocks from {@code local}. The member answers once its watermark has
   * reached {@code prevNum}. All lanes have committed everything up to {@code acked}, whether or
   * not the member has heard of it.
   */
  record GetRequest(
      long id, int epoch, long mountEpoch, long prevNum, long acked, long local, int count)
      implements Message {}

  /** Asks for a page of the region's tree as of {@code prevNum}. */
  record PageRequest(
      long id, int epoch, long mountEpoch, long prevNum, long acked, int level, long index)
      implements Message {}

  /** Tells a server on which connection the sender can be reached; no member sees it. */
  record Hello() implements Message {}

  /** Asks a member for its state; anybody may. */
  record StatusQuery(long id) implements Question {}

  /** Asks a server which files of volumes HDFS has; anybody may. */
  record InventoryQuery() implements Question {}

  /** Asks a server what its DataNode has of the log of the region that it is addressed to. */
  record HoldingsQuery(String volume) implements Question {}

  // ---- server to whoever asked ----

  /**
   * The files of volumes that HDFS has.
   *
   * @param problem why the server cannot tell, or empty
   * @param paths directories of volumes and what is in each, one level deep, relative to the root
   *     of all volumes
   */
  record InventoryReply(String problem, List<String> paths) implements Message {}

  /**
   * The part of a region's log that a server's DataNode has.
   *
   * @param problem why it cannot tell, or empty
   * @param checkpoints numbers of the region's checkpoint files
   * @param manifest the newest manifest with its certificate, as {@link
   *     org.salus.core.log.LogRecord#permission} encodes it, or empty
   * @param mountEpoch the newest mount in the log, 0 if none
   */
  record HoldingsReply(
      String problem,
      List<Holding> segments,
      List<Long> checkpoints,
      byte[] manifest,
      long mountEpoch)
      implements Message {}

  /**
   * A segment's file, and the replica of the DataNode that is asked.
   *
   * @param finished the file is closed
   * @param dataNodes "ip:port" of those that the NameNode expects a replica on
   * @param valid bytes of certified records in the replica, -1 when there is none
   * @param epoch the newest epoch in the replica, 0 if none
   */
  record Holding(long segment, boolean finished, List<String> dataNodes, long valid, int epoch) {}

  // ---- member to session ----

  /** This lane's member has the mount written and sums up its log. */
  record MountReply(int epoch, int lane, long mountEpoch, LogSummary summary) implements Message {}

  /**
   * This lane's member has committed the prefix; {@code regionRoot} is the root of the region's
   * tree after it.
   */
  record ResolveReply(int epoch, int lane, long mountEpoch, long prefix, byte[] regionRoot)
      implements Message {}

  /**
   * Refuses a request of the session of {@code mountEpoch}. Signed over the fields in the lane's
   * name.
   *
   * @param last the batch's last seq, or 0
   * @param seq what OUT_OF_ORDER and LOST name; with FENCED the newer mount
   * @param mount with FENCED the proof of the newer mount, see {@link
   *     org.salus.core.log.MountBody#proof}; else empty
   */
  record Refused(
      int epoch,
      int lane,
      long mountEpoch,
      long last,
      Refusal why,
      long seq,
      byte[] mount,
      byte[] signature)
      implements Signed {
    /** The same with the signature of the lane of a region. */
    public Refused sign(RegionId region, Signer signer) {
      byte[] by = signer.sign(Signer.laneName(region, lane), MessageCodec.signed(this));
      return new Refused(epoch, lane, mountEpoch, last, why, seq, mount, by);
    }

    /** Whether the lane of this region has signed it. */
    public boolean isSigned(RegionId region, Signer signer) {
      return signer.verifies(Signer.laneName(region, lane), signature, MessageCodec.signed(this));
    }
  }

  /**
   * A read's answer: the payload holds the blocks that are not zero, in order.
   *
   * @param zero one bit a block, set where it reads as zeros
   * @param load requests that the member has in hand
   * @param failed whether the member could not read; there is no payload then
   */
  record GetReply(long id, int lane, byte[] zero, int load, boolean failed) implements Message {}

  /** A page's children, see {@link org.salus.core.tree}. */
  record PageReply(long id, int lane, byte[] children) implements Message {}

  /**
   * A member's state.
   *
   * @param watermark everything up to this seq is committed in its lane
   * @param files what it has on disk
   * @param view of the newest sub-batch in its log
   * @param lastSeq the newest PUT in its log
   * @param settled the seq up to which {@code root} covers everything, and nothing more: the
   *     certified watermark, or less if a mount may still go back
   * @param root root of the member's own tree; empty while it is not known
   * @param manifest its newest manifest as a {@link org.salus.core.log.Permission}, or empty
   * @param full whether there is no room for the next segment, as far as it knows; only M0 asks for
   *     segments
   */
  record StatusReply(
      long id,
      int epoch,
      int lane,
      boolean serving,
      long watermark,
      LiveFiles files,
      int view,
      long lastSeq,
      long settled,
      byte[] root,
      byte[] manifest,
      boolean full)
      implements Message {}

  /**
   * A member's live files.
   *
   * @param segments log segments, the last of them open; lengths in bytes
   * @param checkpoints oldest first
   * @param builds checkpoints that are being built
   * @param checkpointRoot root of the member's own tree as of the checkpoints
   */
  record LiveFiles(
      List<SegmentEnd> segments, List<Checkpoint> checkpoints, int builds, byte[] checkpointRoot) {}

  // ---- along the chain ----

  /** A record on its way down: header, signatures of the members before; the payload beside it. */
  record Chain(byte[] header, List<byte[]> signatures) implements Signed {}

  /** The certificate of the record at a position, from the last member. */
  record Certified(int epoch, long segment, long offset, List<byte[]> signatures)
      implements Signed {}

  /**
   * Tells M0 of a new epoch how far the sender's replica of each segment is valid.
   *
   * @param elsewhere see {@link org.salus.core.scan.LogScan.Found}
   */
  record LogEnds(int epoch, int lane, List<SegmentEnd> ends, List<SegmentEnd> elsewhere)
      implements Message {}

  /**
   * The phase of a member in the opening of an epoch. When M0 tells REPLAYING or later, the others
   * replay.
   *
   * @param heard a bit for each member that the sender has lately heard, by place in the chain
   */
  record Opening(int epoch, int lane, OpeningPhase phase, int heard) implements Message {}

  /**
   * A member has the manifest at the begin of a segment on its disk, and all before it. It tells
   * all others of its epoch's first manifest, and M0 of later ones.
   *
   * @param asks whether the receiver is to answer with its own word
   * @param word see {@link org.salus.core.replacement.WrittenManifest#word}
   */
  record Wrote(int epoch, int lane, long segment, boolean asks, byte[] word) implements Message {}

  /** A member has built a checkpoint; to M0. {@code root} is the region's root with it. */
  record Built(int epoch, int lane, long checkpoint, long length, int crc, byte[] root)
      implements Message {}

  // ---- lanes ----

  /**
   * Member {@code lane} of an epoch of {@code region} votes on a batch. Signed over the fields in
   * the lane's name: a leader shows it to the session.
   *
   * @param leader the region to whose lane leader the vote is addressed
   * @param root the volume root after the batch, which stands for its content
   * @param no why not, or null for YES
   */
  record Vote(
      int region,
      int epoch,
      int lane,
      int leader,
      long mountEpoch,
      int view,
      long first,
      long last,
      byte[] root,
      Refusal no,
      byte[] signature)
      implements Signed {
    /** The unsigned vote of a region's lane on a batch. */
    public static Vote on(SubBatch b, int region, int lane, Refusal no) {
      return new Vote(
          region,
          b.participants().epochOf(region),
          lane,
          b.participants().leader(),
          b.mountEpoch(),
          b.view(),
          b.first(),
          b.last(),
          b.volumeRoot(),
          no,
          MessageCodec.NO_SIGNATURE);
    }

    /** An unsigned NO in the place of this vote. */
    public Vote refusing(Refusal why) {
      return new Vote(
          region,
          epoch,
          lane,
          leader,
          mountEpoch,
          view,
          first,
          last,
          root,
          why,
          MessageCodec.NO_SIGNATURE);
    }

    /** The same vote with another signature. */
    public Vote withSignature(byte[] other) {
      return new Vote(region, epoch, lane, leader, mountEpoch, view, first, last, root, no, other);
    }

    /** The same vote with the lane's signature. */
    public Vote sign(long volume, Signer signer) {
      return withSignature(
          signer.sign(
              Signer.laneName(new RegionId(volume, region), lane), MessageCodec.signed(this)));
    }

    /** Whether the lane has signed it. */
    public boolean isSigned(long volume, Signer signer) {
      return signer.verifies(
          Signer.laneName(new RegionId(volume, region), lane),
          signature,
          MessageCodec.signed(this));
    }
  }

  /**
   * The lane has committed every batch of this leader up to {@code seq}, by the votes of this view
   * or the session's word. The leader's member signs all fields but the votes.
   *
   * @param epoch the epoch of the leader's RRS
   * @param to the region to whose member of this lane it is addressed, or {@link #SESSION}
   * @param votes the votes of the other participants of the batch that ends at {@code seq}; sent to
   *     the session only
   */
  record Commit(
      int leader,
      int epoch,
      int lane,
      int to,
      long mountEpoch,
      int view,
      long seq,
      byte[] signature,
      List<Yes> votes)
      implements Signed {
    /** The addressee of a commit that goes to the session. */
    public static final int SESSION = -1;

    /** The same with the lane's signature. */
    public Commit sign(long volume, Signer signer) {
      return new Commit(
          leader,
          epoch,
          lane,
          to,
          mountEpoch,
          view,
          seq,
          signer.sign(
              Signer.laneName(new RegionId(volume, leader), lane), MessageCodec.signed(this)),
          votes);
    }

    /** Whether the lane has signed it. */
    public boolean isSigned(long volume, Signer signer) {
      return signer.verifies(
          Signer.laneName(new RegionId(volume, leader), lane),
          signature,
          MessageCodec.signed(this));
    }
  }

  /** A region's vote in a commit: the signature is that of its {@link Vote}. */
  record Yes(int region, byte[] signature) {}

  /**
   * The lane aborts a batch, and so all later ones of the view.
   *
   * @param no the signed NO for which it aborts
   */
  record Abort(int leader, Vote no) implements Message {}

  /**
   * Asks another leader to tell when the lane has committed {@code seq} in this view. The answer, a
   * Commit, is the COMMIT-CONFIRMATION.
   */
  record ConfirmQuery(int asker, int lane, long mountEpoch, int view, long seq)
      implements Message {}
}
