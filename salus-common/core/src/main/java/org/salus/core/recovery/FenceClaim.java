package org.salus.core.recovery;

import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.replacement.EpochLink;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The word of a member of an epoch that {@linkplain EpochLink#rebuilds has no holder}, to a
 * holder's DataNode: nobody appends to the replica any more (paper §4.2.2). The members read the
 * replica afterwards. So the old members, if their processes live after all, acknowledge nothing
 * that is not read. The master's signature under the link is the permission.
 *
 * @param replica the DataNode's name of the replica; see {@link FloorClaim#replica}
 * @param link the epoch that reads it
 */
public record FenceClaim(String replica, EpochLink link) {
  /** No name of a replica is as long, so this is no {@link FloorClaim}. */
  private static final int KIND = 0x46454e43;

  /**
   * Whether the master has signed the claim, for this replica. An old claim must not stop a later
   * epoch's writers.
   *
   * @param head the first record of the replica, or null if it has none
   */
  public boolean holds(String of, LogRecord head, Signer signer) {
    return replica.equals(of)
        && link.rebuilds()
        && link.isGenuine(signer)
        && (head == null || head.region().equals(link.region()) && head.epoch() < link.epoch());
  }

  public byte[] encode() {
    Encoder e = new Encoder(512).i32(KIND).string(replica);
    link.write(e);
    return e.toBytes();
  }

  public static FenceClaim decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    if (d.i32() != KIND) {
      throw new MalformedException("not a claim to fence a replica");
    }
    FenceClaim claim = new FenceClaim(d.string(), EpochLink.read(d));
    d.end();
    return claim;
  }
}
