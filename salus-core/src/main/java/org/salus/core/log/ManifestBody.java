package org.salus.core.log;

import java.util.List;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * What the log before a segment amounts to; it stands at the segment's head, so that a log can be read from there.
 *
 * @param members the epoch's members in chain order, whose certificates the segment's records carry
 * @param segments live segments before this one and their lengths; the permission to complete them
 * @param mountEpoch newest mount
 * @param resolved whether that mount has committed its prefix
 * @param view newest view of the mount
 * @param lastSeq last seq accepted in this region
 * @param acked the certified watermark
 * @param settledHere last seq of this region at or below the watermark
 * @param settledLast last seq of the newest batch, or resolved prefix, at or below the watermark
 * @param settledRoot volume root after it
 */
public record ManifestBody(
    List<String> members, List<SegmentEnd> segments, long mountEpoch, boolean resolved, int view, long lastSeq, long acked,
    long settledHere, long settledLast, byte[] settledRoot) {

  public byte[] encode() {
    Encoder e = new Encoder(256).list(members, Encoder::string);
    e.list(segments, (x, s) -> x.i64(s.segment()).i64(s.length())).i64(mountEpoch).bool(resolved).i32(view);
    return e.i64(lastSeq).i64(acked).i64(settledHere).i64(settledLast).raw(settledRoot).toBytes();
  }

  public static ManifestBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    ManifestBody b = new ManifestBody(
        d.list(Decoder::string), d.list(x -> new SegmentEnd(x.i64(), x.i64())), d.i64(), d.bool(), d.i32(), d.i64(), d.i64(), d.i64(),
        d.i64(), d.raw(32));
    d.end();
    return b;
  }
}
