package org.salus.core.recovery;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
 * that is not read. The master's signature under the link says that the epoch may do that.
 *
 * @param replica the DataNode's name of the replica
 * @param link the epoch that reads it
 * @param node the member that says so
 * @param signature the member's
 */
public record FenceClaim(String replica, EpochLink link, String node, byte[] signature) {
  /** No name of a replica is as long, so this is no {@link FloorClaim}. */
  private static final int KIND = 0x46454e43;

  private static final byte[] FENCE = "fence".getBytes(StandardCharsets.UTF_8);

  /** What a DataNode has of the replica. */
  public enum Content {
    /** None, or less than a record's header. */
    NOTHING,
    /** A log segment. */
    LOG,
    /** Something else. */
    OTHER
  }

  /**
   * Signs a member's claim.
   *
   * @param dataNode {@code ip:port} of the holder's DataNode
   */
  public static FenceClaim sign(
      String dataNode, String replica, EpochLink link, String node, Signer signer) {
    return new FenceClaim(replica, link, node, signer.sign(node, signed(dataNode, replica, link)));
  }

  private static ByteBuffer signed(String dataNode, String replica, EpochLink link) {
    return ByteBuffer.wrap(
        new Encoder(128)
            .bytes(FENCE)
            .string(dataNode)
            .string(replica)
            .string(link.signature())
            .toBytes());
  }

  /**
   * Whether the claim counts: a member of the epoch says it of this replica of a holder's DataNode.
   * An old claim must not stop a later epoch's writers.
   *
   * @param dataNode {@code ip:port} of the DataNode
   * @param head the first record of the replica if it is a log segment, else null
   */
  public boolean holds(String dataNode, String of, Content content, LogRecord head, Signer signer) {
    boolean isEarlier =
        content == Content.NOTHING
            || content == Content.LOG
                && head.region().equals(link.region())
                && head.epoch() < link.epoch();
    return isEarlier
        && replica.equals(of)
        && link.rebuilds()
        && link.isGenuine(signer)
        && link.nodes().contains(node)
        && link.holders().stream().anyMatch(h -> h.dataNode().equals(dataNode))
        && signer.verifies(node, signature, signed(dataNode, replica, link));
  }

  public byte[] encode() {
    Encoder e = new Encoder(512).i32(KIND).string(replica);
    link.write(e);
    return e.string(node).bytes(signature).toBytes();
  }

  public static FenceClaim decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    if (d.i32() != KIND) {
      throw new MalformedException("not a claim to fence a replica");
    }
    FenceClaim claim = new FenceClaim(d.string(), EpochLink.read(d), d.string(), d.bytes());
    d.end();
    return claim;
  }
}
