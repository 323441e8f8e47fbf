package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.net.NetUtils;
import org.salus.datanode.ReplicaReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a replica from its block file, in whatever state the replica is. The DataNode must allow this process's user in
 * {@code dfs.block.local-path-access.user}. The open file survives the end of the writing, a recovery, and deletion.
 */
public final class LocalReplicaReader implements ReplicaReader {
  private static final Logger LOG = LoggerFactory.getLogger(LocalReplicaReader.class);

  private final FileChannel file;

  private LocalReplicaReader(FileChannel file) {
    this.file = file;
  }

  /** Opens the replica with this index: its file if its DataNode is on this host, otherwise over the DataNode's protocol. */
  public static ReplicaReader open(BlockHandle handle, int index, Configuration conf) throws IOException {
    DatanodeInfo dataNode = handle.located().getLocations()[index];
    if (NetUtils.isLocalAddress(InetAddress.getByName(dataNode.getIpAddr()))) {
      try {
        return new LocalReplicaReader(FileChannel.open(blockFile(handle, dataNode, conf), StandardOpenOption.READ));
      } catch (IOException e) {
        LOG.warn("No local read of {} on {}: {}", handle, dataNode.getXferAddr(), e.toString());
      }
    }
    return RemoteReplicaReader.of(handle, index, conf);
  }

  /**
   * Opens the replica that a DataNode of this host holds, whether or not the NameNode knows of it by now: after a
   * restart open replicas are reported late. Empty if the DataNode itself says that it has none, or one that a recovery
   * has left behind.
   *
   * @param dataNode "ip:port"
   */
  public static Optional<ReplicaReader> open(BlockHandle handle, String dataNode, VolumeFiles files, Configuration conf)
      throws IOException {
    try {
      Path file = blockFile(handle, files.liveDataNode(dataNode), conf);
      return Optional.of(new LocalReplicaReader(FileChannel.open(file, StandardOpenOption.READ)));
    } catch (RemoteException e) {
      boolean stale = String.valueOf(e.getMessage()).contains("generation stamp");
      if (stale || e.getClassName().equals(ReplicaNotFoundException.class.getName())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static Path blockFile(BlockHandle handle, DatanodeInfo dataNode, Configuration conf) throws IOException {
    // Without the located block: with it the call comes from a user named after the block, who is not allowed.
    ClientDatanodeProtocol proxy = DataNodeRpc.client(dataNode, conf);
    try {
      return Path.of(proxy.getBlockLocalPathInfo(handle.located().getBlock(), handle.located().getBlockToken())
          .getBlockPath());
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    return file.read(into, position);
  }

  @Override
  public long length() throws IOException {
    return file.size();
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
