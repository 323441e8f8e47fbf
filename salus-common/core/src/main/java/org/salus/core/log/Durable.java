package org.salus.core.log;

import org.salus.core.tree.Hashes;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The prefix of a volume's changes that is on the disks of all members of all regions.
 *
 * @param seq its last seq
 * @param root the volume root after it
 */
public record Durable(long seq, byte[] root) {
  /** Before anything is durable. */
  public static final Durable NOTHING = new Durable(0, Hashes.zero());

  public void encode(Encoder e) {
    e.i64(seq).raw(root);
  }

  public static Durable decode(Decoder d) throws MalformedException {
    return new Durable(d.i64(), d.raw(Hashes.BYTES));
  }
}
