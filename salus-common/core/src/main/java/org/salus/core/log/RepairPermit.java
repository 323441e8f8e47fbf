package org.salus.core.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.salus.core.Signer;
import org.salus.core.path.FilePath;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The permission that a server shows to the NameNode to have a bad replica of a finished file
 * repaired. It needs the region's word that the file is one of its own, and the word of the server
 * whose DataNode has the replica. So a faulty server can spoil only the replicas of its own pair.
 *
 * @param manifest the region's newest manifest, which names the file, as {@link
 *     LogRecord#permission} encodes it
 * @param node the server that found the replica bad
 * @param dataNode {@code ip:port} of its DataNode
 * @param block HDFS's id of the file's block
 * @param signature of the server over all this and the path
 */
public record RepairPermit(
    byte[] manifest, String node, String dataNode, long block, byte[] signature) {
  private static final byte[] REPAIR = "repair".getBytes(StandardCharsets.UTF_8);

  /** The number of replicas that every file is to have. */
  public static final int REPLICAS = 3;

  /** The fewest replicas of a file, while a bad one is being dropped. */
  private static final int FEWEST = 2;

  /**
   * A call to the NameNode.
   *
   * @param block of the file
   * @param bad the DataNodes ({@code ip:port}) of the replicas that the call says are bad, or that
   *     the NameNode knows to be bad
   * @param replicas the number of replicas that the file should have; 0 if the call only reports
   *     bad replicas
   */
  public record Call(long block, List<String> bad, int replicas) {}

  /** Encodes a permit that {@code node} signs. */
  public static RepairPermit sign(
      String path, byte[] manifest, String node, String dataNode, long block, Signer signer) {
    return new RepairPermit(
        manifest,
        node,
        dataNode,
        block,
        signer.sign(node, signed(path, manifest, dataNode, block)));
  }

  private static ByteBuffer signed(String path, byte[] manifest, String dataNode, long block) {
    return ByteBuffer.wrap(
        new Encoder(256 + manifest.length)
            .bytes(REPAIR)
            .string(path)
            .string(dataNode)
            .i64(block)
            .bytes(manifest)
            .toBytes());
  }

  public byte[] encode() {
    return new Encoder(128 + manifest.length)
        .bytes(manifest)
        .string(node)
        .string(dataNode)
        .i64(block)
        .bytes(signature)
        .toBytes();
  }

  public static RepairPermit decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    RepairPermit p = new RepairPermit(d.bytes(), d.string(), d.string(), d.i64(), d.bytes());
    d.end();
    return p;
  }

  /**
   * Whether this allows the call. A server may always say that its own replica is bad, and ask for
   * all replicas again. It may ask for one replica fewer, which drops the bad one, only while that
   * is known to be bad.
   *
   * @param ownDataNode the DataNode of {@code node}, as the cluster's records say; null if it has
   *     none
   * @param epoch the region's current epoch
   * @param members its members in chain order
   */
  public boolean allows(
      Call call, String path, String ownDataNode, int epoch, List<String> members, Signer signer) {
    FilePath file = FilePath.parse(path);
    if (file == null
        || !dataNode.equals(ownDataNode)
        || call.block() != block
        || !signer.verifies(node, signature, signed(path, manifest, dataNode, block))) {
      return false;
    }
    boolean asked =
        switch (call.replicas()) {
          case 0 -> call.bad().equals(List.of(dataNode));
          case FEWEST -> call.bad().contains(dataNode);
          case REPLICAS -> true;
          default -> false;
        };
    try {
      return asked
          && Permission.decode(manifest)
              .allows(
                  Permission.Deed.REPAIR,
                  file.region(),
                  file.kind(),
                  file.number(),
                  0,
                  epoch,
                  members,
                  signer);
    } catch (MalformedException e) {
      return false;
    }
  }
}
