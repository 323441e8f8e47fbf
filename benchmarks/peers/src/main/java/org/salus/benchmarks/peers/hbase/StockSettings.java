package org.salus.benchmarks.peers.hbase;

import java.util.Map;
import org.apache.hadoop.hbase.util.VersionInfo;

/** HBase as it comes, where clusters on one machine have it smaller or safer. */
public final class StockSettings {
  private StockSettings() {}

  /** HBase's own defaults, for a cluster's servers. */
  public static Map<String, String> defaults() {
    return Map.of(
        "hfile.block.cache.size", "0.4",
        "hbase.regionserver.global.memstore.size", "0.4",
        "hbase.hregion.memstore.flush.size", "134217728",
        "hbase.hregion.memstore.mslab.enabled", "true",
        "hbase.server.allocator.pool.enabled", "true",
        "hbase.regionserver.handler.count", "30",
        "hbase.regionserver.metahandler.count", "20",
        "hbase.wal.hsync", "false");
  }

  /** Those in use. */
  public static String versions() {
    return "HBase "
        + VersionInfo.getVersion()
        + ", Hadoop "
        + org.apache.hadoop.util.VersionInfo.getVersion();
  }
}
