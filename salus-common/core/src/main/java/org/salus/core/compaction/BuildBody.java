package org.salus.core.compaction;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The body of a BUILD record: every member builds a checkpoint. It is made of a whole log segment
 * (a flush) or of a run of checkpoints (a compaction).
 *
 * @param checkpoint the number of the new checkpoint
 * @param segment the segment to flush; 0 for a compaction
 * @param inputs the checkpoints to merge, oldest first; none for a flush
 */
public record BuildBody(long checkpoint, long segment, List<Long> inputs) {

  public boolean isFlush() {
    return inputs.isEmpty();
  }

  public byte[] encode() {
    Encoder e = new Encoder(64);
    encode(e);
    return e.toBytes();
  }

  void encode(Encoder e) {
    e.i64(checkpoint).i64(segment).list(inputs, Encoder::i64);
  }

  public static BuildBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    BuildBody b = decode(d);
    d.end();
    return b;
  }

  static BuildBody decode(Decoder d) throws MalformedException {
    return new BuildBody(d.i64(), d.i64(), d.list(Decoder::i64));
  }
}
