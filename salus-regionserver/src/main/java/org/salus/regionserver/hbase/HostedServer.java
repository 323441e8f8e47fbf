package org.salus.regionserver.hbase;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.ServerName;
import org.salus.regionserver.RegionServerHost;
import org.salus.regionserver.ServerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One region server's engine and the replicas that are open on it. HBase announces a server's stop
 * before it closes the regions, so the engine stops with the last replica. Thread-safe.
 */
final class HostedServer {
  private static final Logger LOG = LoggerFactory.getLogger(HostedServer.class);
  private static final Map<ServerName, HostedServer> SERVERS = new ConcurrentHashMap<>();

  private record Replica(String volume, int region, int replica) {}

  private final ServerName name;
  private final RegionServerHost host;
  private final Set<Replica> open = new HashSet<>();
  private boolean stopping;
  private boolean stopped;

  private HostedServer(ServerName name, RegionServerHost host) {
    this.name = name;
    this.host = host;
  }

  static void start(ServerName name, RegionServerHost host, ServerContext context) {
    host.start(context);
    SERVERS.put(name, new HostedServer(name, host));
  }

  /** The engine of a server, or null when the server has none. */
  static HostedServer of(ServerName name) {
    return SERVERS.get(name);
  }

  boolean isReady() {
    return host.isReady();
  }

  synchronized void opened(String volume, int region, int replica) {
    if (stopped) {
      LOG.warn(
          "{} opened replica {} of region {} of volume {} after its stop",
          name,
          replica,
          region,
          volume);
    } else if (open.add(new Replica(volume, region, replica))) {
      host.replicaOpened(volume, region, replica);
    }
  }

  synchronized void closed(String volume, int region, int replica) {
    if (!open.remove(new Replica(volume, region, replica)) || stopped) {
      return;
    }
    host.replicaClosed(volume, region, replica);
    stopWhenDone(false);
  }

  /**
   * Stops the engine when the last replica is closed, or at once if the server was aborted: an
   * aborted server may never close its regions.
   */
  synchronized void stop(boolean aborted) {
    stopping = true;
    stopWhenDone(aborted);
  }

  private void stopWhenDone(boolean aborted) {
    if (stopping && !stopped && (aborted || open.isEmpty())) {
      stopped = true;
      SERVERS.remove(name);
      host.stop();
    }
  }
}
