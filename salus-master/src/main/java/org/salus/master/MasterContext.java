package org.salus.master;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.salus.host.FaultHandler;
import org.salus.host.metrics.Metrics;

/** The master's services for Salus. Thread-safe. */
public interface MasterContext {
  /** {@code host:port} of this master. */
  String node();

  /** ZooKeeper's servers as {@code host:port}, separated by commas. */
  String zookeeper();

  /** All settings of the master, with variables resolved. */
  Map<String, String> configuration();

  /** The handler that takes bugs and stops the master. */
  FaultHandler faults();

  /** The metrics of this master. */
  Metrics metrics();

  /**
   * The nodes ({@code host:port}) of the region servers that the master takes for alive, sorted.
   */
  List<String> servers();

  /**
   * Returns, for each region of a volume, the nodes on which HBase has a replica open, by replica
   * number. A node appears twice when there are fewer servers than replicas. The map is empty when
   * the volume does not exist.
   */
  Map<Integer, List<String>> placement(String volume);

  /**
   * The number of replicas of regions of each table in the namespace of volumes, by volume. Empty
   * while the master does not know its tables yet.
   */
  Optional<Map<String, Integer>> replicas();

  /**
   * Calls {@code watcher} with the nodes of the living servers after each change, until the master
   * ends. The call comes on a thread of the master, so it must not block.
   */
  void watchServers(Consumer<List<String>> watcher);

  /**
   * Asks the NameNode for its state and for its DataNodes. Nothing is known if HBase is not on
   * HDFS. Blocks.
   *
   * @throws HdfsReport.RefusedException when the NameNode answers, but does not tell
   */
  HdfsReport hdfs() throws IOException;

  /** The tables of the volumes. Requests to them wait until hbase:meta is served. */
  VolumeCatalogue tables();
}
