package org.salus.master;

import java.util.Map;

/**
 * What the NameNode says of HDFS. Immutable.
 *
 * @param safeMode whether it takes no changes
 * @param dataNodes the DataNodes that are alive, by {@code ip:port}
 */
public record HdfsReport(boolean safeMode, Map<String, DataNodeReport> dataNodes) {
  /** Nothing is known. */
  static final HdfsReport NONE = new HdfsReport(false, Map.of());

  /** Copies the map. */
  public HdfsReport {
    dataNodes = Map.copyOf(dataNodes);
  }
}
