package org.salus.core.log;

import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** The body of a ROLL record: segment {@code next} may be created. */
public record RollBody(long next) {

  public byte[] encode() {
    return new Encoder(8).i64(next).toBytes();
  }

  public static RollBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    RollBody b = new RollBody(d.i64());
    d.end();
    return b;
  }
}
