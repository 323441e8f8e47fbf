package org.salus.core.log;

import java.util.List;
import org.salus.core.compaction.CheckpointSet;
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
 * @param mount the newest mount
 * @param progress how far the log has come
 * @param pending the sub-batches that are pending, in log order
 * @param checkpoints the checkpoints; their files and no others are needed
 */
public record ManifestBody(
    List<String> members,
    List<SegmentEnd> segments,
    NewestMount mount,
    Progress progress,
    List<Undecided> pending,
    CheckpointSet checkpoints) {

  /**
   * Whether this manifest, which stands in segment {@code own}, allows deleting the file of a
   * segment.
   */
  public boolean discards(long segment, long own) {
    return segment < own && segments.stream().noneMatch(s -> s.segment() == segment);
  }

  /** Whether this manifest allows deleting the file of a checkpoint. */
  public boolean discardsCheckpoint(long id) {
    return checkpoints.discards(id);
  }

  public byte[] encode() {
    Encoder e = new Encoder(256).list(members, Encoder::string);
    e.list(segments, (x, s) -> x.i64(s.segment()).i64(s.length()));
    mount.encode(e);
    progress.encode(e);
    e.list(pending, (x, u) -> u.encode(x));
    checkpoints.encode(e);
    return e.toBytes();
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
            NewestMount.decode(d),
            Progress.decode(d),
            d.list(Undecided::decode),
            CheckpointSet.decode(d));
    d.end();
    return b;
  }
}
