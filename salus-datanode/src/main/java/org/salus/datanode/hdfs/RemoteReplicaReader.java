package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.impl.BlockReaderRemote;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.ipc.RPC;
import org.salus.datanode.ReplicaReader;

/** Reads a replica over the DataNode's protocol, one connection a read. Not possible for open replicas after its restart. */
final class RemoteReplicaReader implements ReplicaReader {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final BlockHandle handle;
  private final DatanodeInfo dataNode;
  private final Configuration conf;
  private final boolean growing;

  private RemoteReplicaReader(BlockHandle handle, int index, Configuration conf, boolean growing) {
    this.handle = handle;
    this.dataNode = handle.located().getLocations()[index];
    this.conf = conf;
    this.growing = growing;
  }

  static RemoteReplicaReader of(BlockHandle handle, int index, Configuration conf) {
    return new RemoteReplicaReader(handle, index, conf, handle.open());
  }

  /** For a replica that is finalized at the handle's length, though its file is open. */
  static RemoteReplicaReader ofFinalized(BlockHandle handle, int index, Configuration conf) {
    return new RemoteReplicaReader(handle, index, conf, false);
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    long length = length();
    int wanted = (int) Math.min(into.remaining(), length - position);
    if (wanted <= 0) {
      return into.hasRemaining() ? -1 : 0;
    }
    byte[] bytes = new byte[wanted];
    // The socket must have a channel, or the reader cannot time out.
    try (Socket socket = SocketChannel.open().socket()) {
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress(dataNode.getIpAddr(), dataNode.getXferPort()), TIMEOUT_MILLIS);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      Peer peer = DFSUtilClient.peerFromSocket(socket);
      ExtendedBlock block = handle.blockOfLength(length);
      BlockReader reader = BlockReaderRemote.newBlockReader(handle.path(), block, handle.located().getBlockToken(),
          position, wanted, true, "salus", peer, dataNode, null, CachingStrategy.newDefaultStrategy(), -1, conf);
      try {
        reader.readFully(bytes, 0, wanted);
      } finally {
        reader.close();
      }
    }
    into.put(bytes);
    return wanted;
  }

  @Override
  public long length() throws IOException {
    if (!growing) {
      return handle.length();
    }
    ClientDatanodeProtocol proxy = DataNodeRpc.client(dataNode, handle.located(), conf);
    try {
      return proxy.getReplicaVisibleLength(handle.located().getBlock());
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  @Override
  public boolean local() {
    return false;
  }

  @Override
  public void close() {
    // Holds nothing between two reads.
  }
}
