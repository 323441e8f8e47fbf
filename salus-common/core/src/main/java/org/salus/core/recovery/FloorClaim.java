package org.salus.core.recovery;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.core.Signer;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A member's word to the DataNode with its replica on how far the replica is valid, and whether it
 * may get a new stamp; see {@link Floors}. The member's server signs it. The epoch's link, which
 * the master has signed, says that this server has its replica on this DataNode. The two need not
 * be on one machine.
 *
 * @param replica the DataNode's name of the replica
 * @param link the region's epoch in which the member has read the replica
 * @param length up to which it is valid, in bytes
 * @param stamp the generation stamp that the replica keeps, because it is equal to the others; or
 *     {@link #MAY_RISE}
 */
public record FloorClaim(
    String replica, EpochLink link, long length, long stamp, byte[] signature) {
  /** A recovery follows, so the replica may get a new stamp. */
  public static final long MAY_RISE = 0;

  private static final byte[] FLOOR = "floor".getBytes(StandardCharsets.UTF_8);

  /**
   * Signs a claim of the member that has its replica on a DataNode.
   *
   * @param dataNode {@code ip:port} of the DataNode
   */
  public static FloorClaim sign(
      String dataNode, String replica, EpochLink link, long length, long stamp, Signer signer) {
    Member member = member(link, dataNode);
    if (member == null) {
      throw new IllegalArgumentException(link + " has no replica on " + dataNode);
    }
    return new FloorClaim(
        replica,
        link,
        length,
        stamp,
        signer.sign(member.node(), signed(dataNode, replica, link, length, stamp)));
  }

  private static Member member(EpochLink link, String dataNode) {
    return link.members().stream()
        .filter(m -> m.dataNode().equals(dataNode))
        .findFirst()
        .orElse(null);
  }

  private static ByteBuffer signed(
      String dataNode, String replica, EpochLink link, long length, long stamp) {
    return ByteBuffer.wrap(
        new Encoder(128)
            .bytes(FLOOR)
            .string(dataNode)
            .string(replica)
            .string(link.signature())
            .i64(length)
            .i64(stamp)
            .toBytes());
  }

  /** Whether the member with its replica on this DataNode ({@code ip:port}) has signed it. */
  public boolean isSigned(String dataNode, Signer signer) {
    Member member = member(link, dataNode);
    return member != null
        && link.isGenuine(signer)
        && signer.verifies(
            member.node(), signature, signed(dataNode, replica, link, length, stamp));
  }

  /** The name of a replica at its DataNode, by its HDFS block's pool and id. */
  public static String replica(String pool, long block) {
    return pool + "/" + block;
  }

  public byte[] encode() {
    Encoder e = new Encoder(512).string(replica);
    link.write(e);
    return e.i64(length).i64(stamp).bytes(signature).toBytes();
  }

  public static FloorClaim decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    FloorClaim claim = new FloorClaim(d.string(), EpochLink.read(d), d.i64(), d.i64(), d.bytes());
    d.end();
    return claim;
  }
}
