package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;

/** Asks a DataNode for its room; what the NameNode knows is a heartbeat old. */
final class DataNodeSpace {
  private DataNodeSpace() {}

  /** Whether none of its disks has that much room; false when it does not say. */
  static boolean isFull(DatanodeID id, long needed, Configuration conf) {
    try {
      return Repeatable.call(DataNodeRpc.shared(id, conf)::getVolumeReport).stream()
          .allMatch(v -> v.getFreeSpace() < needed);
    } catch (IOException e) {
      return false;
    }
  }
}
