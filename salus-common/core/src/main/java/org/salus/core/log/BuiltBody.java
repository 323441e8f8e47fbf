package org.salus.core.log;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * All members have built the same checkpoint: it stands in the place of its segment, or of the
 * inputs, oldest first.
 */
public record BuiltBody(Checkpoint checkpoint, List<Long> inputs) {

  public boolean isFlush() {
    return inputs.isEmpty();
  }

  public byte[] encode() {
    Encoder e = new Encoder(160);
    checkpoint.encode(e);
    return e.list(inputs, Encoder::i64).toBytes();
  }

  public static BuiltBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    BuiltBody b = new BuiltBody(Checkpoint.decode(d), d.list(Decoder::i64));
    d.end();
    return b;
  }
}
