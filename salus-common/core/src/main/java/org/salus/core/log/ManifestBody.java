package org.salus.core.log;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The body of a MANIFEST record: everything that the log before a segment amounts to. It stands at
 * the segment's head, so that a log can be read from there.
 *
 * @param members the epoch's members in chain order, whose certificates the segment's records carry
 * @param segments the live segments before this one and their lengths, which the NameNode lets
 *     members complete. A flushed segment is live until its blocks are compacted
 * @param mountEpoch the newest mount
 * @param mountProof the proof that its session has asked for it, see {@link MountBody#proof}; empty
 *     before the first mount
 * @param resolved whether that mount has committed its prefix
 * @param view the newest view of the mount
 * @param lastSeq the last seq accepted in this region
 * @param acked the certified watermark
 * @param durable the seq up to which everything is durable
 * @param settledHere the last seq of this region at or below the certified watermark
 * @param settledLast the last seq of the newest batch, or the resolved prefix, at or below the
 *     certified watermark
 * @param settledRoot the volume root after {@code settledLast}
 * @param undecided the sub-batches that are pending or not durable, in log order
 * @param checkpoints the live checkpoints, oldest first; files of others below {@code
 *     nextCheckpoint} may be deleted
 * @param nextCheckpoint no checkpoint has this number or a higher one
 * @param building the checkpoints that are being built
 */
public record ManifestBody(
    List<String> members,
    List<SegmentEnd> segments,
    long mountEpoch,
    byte[] mountProof,
    boolean resolved,
    int view,
    long lastSeq,
    long acked,
    long durable,
    long settledHere,
    long settledLast,
    byte[] settledRoot,
    List<Undecided> undecided,
    List<Checkpoint> checkpoints,
    long nextCheckpoint,
    List<BuildBody> building) {

  /** The last segment whose content is in a checkpoint, 0 when there is none. */
  public long lastFlushed() {
    return Checkpoint.lastSegment(checkpoints);
  }

  /**
   * Whether this manifest, which stands in segment {@code own}, allows deleting the file of a
   * segment.
   */
  public boolean discards(long segment, long own) {
    return segment < own && segments.stream().noneMatch(s -> s.segment() == segment);
  }

  /** Whether this manifest allows deleting the file of a checkpoint. */
  public boolean discardsCheckpoint(long id) {
    boolean inUse =
        building.stream().anyMatch(b -> b.checkpoint() == id)
            || checkpoints.stream().anyMatch(c -> c.id() == id);
    return id < nextCheckpoint && !inUse;
  }

  public byte[] encode() {
    Encoder e = new Encoder(256).list(members, Encoder::string);
    e.list(segments, (x, s) -> x.i64(s.segment()).i64(s.length()))
        .i64(mountEpoch)
        .bytes(mountProof)
        .bool(resolved)
        .i32(view);
    e.i64(lastSeq).i64(acked).i64(durable).i64(settledHere).i64(settledLast).raw(settledRoot);
    e.list(undecided, (x, u) -> u.encode(x));
    e.list(checkpoints, (x, c) -> c.encode(x)).i64(nextCheckpoint);
    return e.list(building, (x, b) -> b.encode(x)).toBytes();
  }

  /** The body of a certified MANIFEST record. */
  public static ManifestBody of(LogRecord certified) {
    try {
      return decode(certified.content());
    } catch (MalformedException e) {
      throw new IllegalStateException("certified record " + certified + " cannot be read", e);
    }
  }

  /**
   * The body of the manifest in a member's own permission.
   *
   * @param permission as {@link LogRecord#permission} encodes it
   */
  public static ManifestBody shown(byte[] permission) {
    try {
      return of(Permission.decode(permission).record());
    } catch (MalformedException e) {
      throw new IllegalStateException("a member's own manifest cannot be read", e);
    }
  }

  public static ManifestBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    ManifestBody b =
        new ManifestBody(
            d.list(Decoder::string),
            d.list(x -> new SegmentEnd(x.i64(), x.i64())),
            d.i64(),
            d.bytes(),
            d.bool(),
            d.i32(),
            d.i64(),
            d.i64(),
            d.i64(),
            d.i64(),
            d.i64(),
            d.raw(32),
            d.list(Undecided::decode),
            d.list(Checkpoint::decode),
            d.i64(),
            d.list(BuildBody::decode));
    d.end();
    return b;
  }
}
