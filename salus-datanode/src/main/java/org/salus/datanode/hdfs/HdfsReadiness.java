package org.salus.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;

/**
 * Tells whether an HDFS that has just started can be used. HBase's servers give up if it cannot.
 */
public final class HdfsReadiness {
  private HdfsReadiness() {}

  /**
   * Whether the blocks of all files have been found and each DataNode can take more. A DataNode can
   * do so once a heartbeat, after its registration, has reported its capacity.
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
