package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;

/**
 * Proxies for DataNodes that may just have died. They wait at most 5 s for a connection, and look
 * up no address. Hadoop does such look-ups under a lock of the whole process, and they take seconds
 * where no name server answers. Thread-safe.
 */
final class DataNodeRpc {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** Shared proxies by address. They are not closed, because an idle one has no connection. */
  private static final Map<String, ClientDatanodeProtocol> SHARED = new ConcurrentHashMap<>();

  private DataNodeRpc() {}

  static ClientDatanodeProtocol client(DatanodeID id, Configuration conf) throws IOException {
    return DFSUtilClient.createClientDatanodeProtocolProxy(
        id, impatient(id, conf), TIMEOUT_MILLIS, false);
  }

  /**
   * Returns a shared proxy for calls that are {@link Repeatable}. It keeps its connection for some
   * time and acts as this process's user.
   */
  static ClientDatanodeProtocol shared(DatanodeID id, Configuration conf) throws IOException {
    String address = id.getIpcAddr(false);
    ClientDatanodeProtocol known = SHARED.get(address);
    if (known != null) {
      return known;
    }
    ClientDatanodeProtocol made = client(id, conf);
    ClientDatanodeProtocol first = SHARED.putIfAbsent(address, made);
    if (first != null) {
      RPC.stopProxy(made);
    }
    return first != null ? first : made;
  }

  /** Returns a proxy that carries the block's token. */
  static ClientDatanodeProtocol client(DatanodeID id, LocatedBlock block, Configuration conf)
      throws IOException {
    return DFSUtilClient.createClientDatanodeProtocolProxy(
        id, impatient(id, conf), TIMEOUT_MILLIS, false, block);
  }

  static InterDatanodeProtocol recovery(DatanodeID id, Configuration conf) throws IOException {
    return DataNode.createInterDataNodeProtocolProxy(
        id, impatient(id, conf), TIMEOUT_MILLIS, false);
  }

  private static Configuration impatient(DatanodeID id, Configuration conf) {
    NetUtils.addStaticResolution(id.getIpAddr(), id.getIpAddr());
    Configuration c = new Configuration(conf);
    c.setInt("ipc.client.connect.max.retries", 0);
    c.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    c.setInt("ipc.client.connect.timeout", TIMEOUT_MILLIS);
    return c;
  }
}
