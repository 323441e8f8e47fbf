package org.salus.core.log;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The body of an OPEN record: a new epoch's agreement on where the earlier log ends (paper §4.4,
 * phase 2).
 *
 * @param members the epoch's members in chain order
 * @param recovered every live segment and its length
 * @param next the epoch's first segment
 */
public record OpenBody(List<String> members, List<SegmentEnd> recovered, long next) {

  public byte[] encode() {
    Encoder e = new Encoder(256).list(members, Encoder::string);
    return e.list(recovered, (x, s) -> x.i64(s.segment()).i64(s.length())).i64(next).toBytes();
  }

  public static OpenBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    OpenBody b =
        new OpenBody(
            d.list(Decoder::string), d.list(x -> new SegmentEnd(x.i64(), x.i64())), d.i64());
    d.end();
    return b;
  }
}
