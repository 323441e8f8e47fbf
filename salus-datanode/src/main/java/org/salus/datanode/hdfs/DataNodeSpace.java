package org.salus.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.ipc.RPC;

/** Asks a DataNode for its room; what the NameNode knows is a heartbeat old. */
final class DataNodeSpace {
  private DataNodeSpace() {
  }

  /** Whether none of its disks has that much room; false when it does not say. */
  static boolean isFull(DatanodeID id, long needed, Configuration conf) {
    ClientDatanodeProtocol dataNode = null;
    try {
      dataNode = DataNodeRpc.client(id, conf);
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
