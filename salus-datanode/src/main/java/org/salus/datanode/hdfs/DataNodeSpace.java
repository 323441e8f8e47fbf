package org.salus.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.ipc.RPC;

/** Asks a DataNode for its room; what the NameNode knows is a heartbeat old. */
final class DataNodeSpace {
  private static final int TIMEOUT_MILLIS = 3000;

  private DataNodeSpace() {
  }

  /** Whether none of its disks has that much room; false when it does not say. */
  static boolean isFull(DatanodeID id, long needed, Configuration conf) {
    ClientDatanodeProtocol dataNode = null;
    try {
      Configuration once = new Configuration(conf);
      once.setInt("ipc.client.connect.max.retries", 0);
      dataNode = DFSUtilClient.createClientDatanodeProtocolProxy(id, once, TIMEOUT_MILLIS, false);
      return dataNode.getVolumeReport().stream().allMatch(v -> v.getFreeSpace() < needed);
    } catch (IOException e) {
      return false;
    } finally {
      if (dataNode != null) {
        RPC.stopProxy(dataNode);
      }
    }
  }
}
