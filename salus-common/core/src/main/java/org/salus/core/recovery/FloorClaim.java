package org.salus.core.recovery;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.core.Signer;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A member's word to its own DataNode on how far a replica is valid, and whether the replica may
 * get a new stamp; see {@link Floors}. It is signed by the DataNode's name, which only servers use
 * whose members have replicas there.
 *
 * @param replica the DataNode's name of the replica
 * @param epoch the region's epoch in which the member has read the replica
 * @param length up to which it is valid, in bytes
 * @param stamp the generation stamp that the replica keeps, because it is equal to the others; or
 *     {@link #MAY_RISE}
 */
public record FloorClaim(String replica, int epoch, long length, long stamp, byte[] signature) {
  /** A recovery follows, so the replica may get a new stamp. */
  public static final long MAY_RISE = 0;

  private static final byte[] FLOOR = "floor".getBytes(StandardCharsets.UTF_8);

  /**
   * Signs a claim.
   *
   * @param dataNode HDFS's id of the DataNode
   */
  public static FloorClaim sign(
      String dataNode, String replica, int epoch, long length, long stamp, Signer signer) {
    return new FloorClaim(
        replica,
        epoch,
        length,
        stamp,
        signer.sign(Signer.dataNodeName(dataNode), signed(replica, epoch, length, stamp)));
  }

  private static ByteBuffer signed(String replica, int epoch, long length, long stamp) {
    return ByteBuffer.wrap(
        new Encoder(64).bytes(FLOOR).string(replica).i32(epoch).i64(length).i64(stamp).toBytes());
  }

  /** Whether the server on this DataNode's machine has signed it. */
  public boolean isSigned(String dataNode, Signer signer) {
    return signer.verifies(
        Signer.dataNodeName(dataNode), signature, signed(replica, epoch, length, stamp));
  }

  /** The name of a replica at its DataNode, by its HDFS block's pool and id. */
  public static String replica(String pool, long block) {
    return pool + "/" + block;
  }

  public byte[] encode() {
    return new Encoder(96)
        .string(replica)
        .i32(epoch)
        .i64(length)
        .i64(stamp)
        .bytes(signature)
        .toBytes();
  }

  public static FloorClaim decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    FloorClaim claim = new FloorClaim(d.string(), d.i32(), d.i64(), d.i64(), d.bytes());
    d.end();
    return claim;
  }
}
