package org.salus.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;

/**
 * Whether an HDFS that has just been started can be used; HBase's servers give up when it cannot.
 */
public final class HdfsReadiness {
  private HdfsReadiness() {}

  /**
   * Whether the blocks of all files have been found, and each DataNode can take more: it can when a
   * heartbeat has told its capacity, which comes after its registration.
   */
  public static boolean takesBlocks(ClientProtocol nameNode, int dataNodes) throws IOException {
    if (nameNode.setSafeMode(SafeModeAction.SAFEMODE_GET, false)) {
      return false;
    }
    int able = 0;
    for (DatanodeInfo node : nameNode.getDatanodeReport(DatanodeReportType.LIVE)) {
      if (node.getCapacity() > 0) {
        able++;
      }
    }
    return able >= dataNodes;
  }
}
