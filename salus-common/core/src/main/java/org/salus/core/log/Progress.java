package org.salus.core.log;

import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * How far a region's log has come.
 *
 * @param lastSeq the last seq accepted in this region
 * @param acked the certified watermark
 * @param settledHere the last seq of this region at or below the certified watermark
 * @param durable the prefix that is durable
 */
public record Progress(long lastSeq, long acked, long settledHere, Durable durable) {

  void encode(Encoder e) {
    e.i64(lastSeq).i64(acked).i64(settledHere);
    durable.encode(e);
  }

  static Progress decode(Decoder d) throws MalformedException {
    return new Progress(d.i64(), d.i64(), d.i64(), Durable.decode(d));
  }
}
