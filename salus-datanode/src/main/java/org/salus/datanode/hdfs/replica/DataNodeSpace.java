package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** What is known of a DataNode's free space. */
final class DataNodeSpace {
  private DataNodeSpace() {}

  /**
   * Whether the NameNode knows that it has less than {@code needed} bytes free. A NameNode that has
   * just started, and one to which the DataNode has just come back, know it without its disks until
   * its next heartbeat. Then it is not full.
   */
  static boolean isKnownToBeFull(DatanodeInfo d, long needed) {
    return d.getCapacity() > 0 && d.getRemaining() < needed;
  }

  /**
   * Asks the DataNode, because the NameNode's knowledge is a heartbeat old, whether none of its
   * disks has {@code needed} bytes free. Returns false when the DataNode does not answer.
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
