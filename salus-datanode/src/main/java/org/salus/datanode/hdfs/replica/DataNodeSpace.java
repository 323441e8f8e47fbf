package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;

/** Asks a DataNode for its free space, because the NameNode's knowledge is a heartbeat old. */
final class DataNodeSpace {
  private DataNodeSpace() {}

  /**
   * Whether none of its disks has {@code needed} bytes free. Returns false when the DataNode does
   * not answer.
   */
  static boolean isFull(DatanodeID id, long needed, Configuration conf) {
    try {
      return Repeatable.call(DataNodeRpc.shared(id, conf)::getVolumeReport).stream()
          .allMatch(v -> v.getFreeSpace() < needed);
    } catch (IOException e) {
      return false;
    }
  }
}
