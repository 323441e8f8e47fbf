package org.salus.regionserver;

import java.util.Map;
import org.salus.host.FaultHandler;
import org.salus.host.metrics.Metrics;

/**
 * The facts that a region server gives to its engine. Immutable.
 *
 * @param node {@code host:port} of the region server, the same after a restart
 * @param host the address by which others know the server
 * @param startCode grows with every start of the same node, or of its engine
 * @param zookeeper ZooKeeper's servers as {@code host:port}, separated by commas
 * @param configuration all settings of the server, Hadoop's and HBase's among them, variables
 *     resolved
 * @param faults takes bugs; it stops the region server
 * @param metrics the server's metrics
 */
public record ServerContext(
    String node,
    String host,
    long startCode,
    String zookeeper,
    Map<String, String> configuration,
    FaultHandler faults,
    Metrics metrics) {
  public ServerContext {
    configuration = Map.copyOf(configuration);
  }

  ServerContext withStartCode(long code) {
    return new ServerContext(node, host, code, zookeeper, configuration, faults, metrics);
  }
}
