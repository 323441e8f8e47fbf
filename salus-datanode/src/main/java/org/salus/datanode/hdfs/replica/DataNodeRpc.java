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
 * Proxies for DataNodes that may just have died: no patience with connections, and no reverse
 * look-up of addresses, which Hadoop makes under a lock of the whole process and which takes
 * seconds where no name server answers.
 */
final class DataNodeRpc {
  private static final int TIMEOUT_MILLIS = 5_000;

  /** By address; they are not closed: an idle one has no connection. */
  private static final Map<String, ClientDatanodeProtocol> SHARED = new ConcurrentHashMap<>();

  private DataNodeRpc() {}

  static ClientDatanodeProtocol client(DatanodeID id, Configuration conf) throws IOException {
    return DFSUtilClient.createClientDatanodeProtocolProxy(
        id, impatient(id, conf), TIMEOUT_MILLIS, false);
  }

  /**
   * For calls that are {@link Repeatable}, by a connection that is kept for some time, in the name
   * of this process' user.
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

  /** With the block's token. */
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
