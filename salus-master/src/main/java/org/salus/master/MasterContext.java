package org.salus.master;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.host.FaultHandler;

/** What the master offers. Thread-safe. */
public interface MasterContext {
  /** {@code host:port} of this master. */
  String node();

  /** ZooKeeper's servers as {@code host:port}, separated by commas. */
  String zookeeper();

  /** All settings of the master, variables resolved. */
  Map<String, String> configuration();

  /** Takes bugs; it stops the master. */
  FaultHandler faults();

  /** Nodes ({@code host:port}) of the region servers that the master takes for alive, sorted. */
  List<String> servers();

  /**
   * For each region of a volume the nodes on which HBase has a replica open, by replica number. A
   * node comes twice when there are fewer servers than replicas. Empty when there is no such
   * volume.
   */
  Map<Integer, List<String>> placement(String volume);

  /**
   * Calls {@code watcher} with the nodes of the living servers after each change, on a thread of
   * the master, which it must not block. Ends with the master.
   */
  void watchServers(Consumer<List<String>> watcher);

  /** The tables that volumes live in; what is asked of them waits until hbase:meta is served. */
  VolumeCatalogue tables();
}
