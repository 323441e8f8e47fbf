package org.salus.datanode.hdfs.replica;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.LocatedBlockProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;

/**
 * The one block of a file, with all that is needed to write or read a replica. Immutable; travels
 * between members as bytes.
 */
public final class BlockHandle {
  private final String path;
  private final long fileId;
  private final long blockSize;
  private final boolean open;
  private final LocatedBlock located;

  BlockHandle(String path, long fileId, long blockSize, boolean open, LocatedBlock located) {
    this.path = path;
    this.fileId = fileId;
    this.blockSize = blockSize;
    this.open = open;
    this.located = located;
  }

  /** The file. */
  public String path() {
    return path;
  }

  /** HDFS's id of the file. */
  public long fileId() {
    return fileId;
  }

  /** Bytes that the block may hold. */
  public long blockSize() {
    return blockSize;
  }

  /** Whether the file was under construction when the handle was made. */
  public boolean open() {
    return open;
  }

  /** HDFS's id of the block; the same for all replicas, over any recovery. */
  public long blockId() {
    return located.getBlock().getBlockId();
  }

  /** Length of a closed file; of an open one what the NameNode knows, mostly 0. */
  public long length() {
    return located.getBlock().getNumBytes();
  }

  /**
   * The DataNodes, each as "ip:port" of its data transfer server, in the order of the replica
   * indexes.
   */
  public List<String> dataNodes() {
    return Arrays.stream(located.getLocations()).map(DatanodeID::getXferAddr).toList();
  }

  /** Index of the replica on this DataNode, or -1. */
  public int indexOf(String dataNode) {
    return dataNodes().indexOf(dataNode);
  }

  LocatedBlock located() {
    return located;
  }

  ExtendedBlock blockOfLength(long length) {
    ExtendedBlock block = new ExtendedBlock(located.getBlock());
    block.setNumBytes(length);
    return block;
  }

  /**
   * For {@link #fromBytes}; the bytes hold a block token, which is a secret where tokens are
   * enabled.
   */
  public byte[] toBytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(path);
      out.writeLong(fileId);
      out.writeLong(blockSize);
      out.writeBoolean(open);
      out.write(PBHelperClient.convertLocatedBlock(located).toByteArray());
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  /** The handle behind {@link #toBytes}. */
  public static BlockHandle fromBytes(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    return new BlockHandle(
        in.readUTF(),
        in.readLong(),
        in.readLong(),
        in.readBoolean(),
        PBHelperClient.convertLocatedBlockProto(LocatedBlockProto.parseFrom(in.readAllBytes())));
  }

  @Override
  public String toString() {
    return path + " " + located.getBlock() + " at " + dataNodes();
  }
}
