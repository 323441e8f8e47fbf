package org.salus.master.hbase;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.salus.core.replacement.DataNodeState;
import org.salus.master.DataNodeReport;

/** Reads the NameNode's report of DataNodes. */
final class DataNodeReports {
  /** The silence after which a DataNode is stale, as HDFS has it by default. */
  private static final long STALE_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private DataNodeReports() {}

  /** The reports by {@code ip:port}. The times of heartbeats are all of the NameNode's clock. */
  static Map<String, DataNodeReport> of(DatanodeInfo[] live) {
    long newest = Arrays.stream(live).mapToLong(DatanodeInfo::getLastUpdate).max().orElse(0);
    Map<String, DataNodeReport> reports = new TreeMap<>();
    for (DatanodeInfo node : live) {
      boolean stale = newest - node.getLastUpdate() > STALE_MILLIS;
      reports.put(node.getXferAddr(), new DataNodeReport(state(node, stale), node.getRemaining()));
    }
    return reports;
  }

  private static DataNodeState state(DatanodeInfo node, boolean stale) {
    return switch (node.getAdminState()) {
      case NORMAL -> stale ? DataNodeState.STALE : DataNodeState.IN_SERVICE;
      case DECOMMISSION_INPROGRESS -> DataNodeState.DECOMMISSIONING;
      case DECOMMISSIONED -> DataNodeState.DECOMMISSIONED;
      case ENTERING_MAINTENANCE -> DataNodeState.ENTERING_MAINTENANCE;
      case IN_MAINTENANCE -> DataNodeState.IN_MAINTENANCE;
    };
  }
}
