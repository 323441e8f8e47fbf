package org.salus.core.compaction;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The body of a BUILT record: all members have built the same checkpoint. It takes the place of its
 * segment (a flush) or of its inputs (a compaction).
 *
 * @param checkpoint the new checkpoint
 * @param inputs the merged checkpoints, oldest first; none for a flush
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
