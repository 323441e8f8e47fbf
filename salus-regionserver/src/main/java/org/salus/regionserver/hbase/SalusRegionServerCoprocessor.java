package org.salus.regionserver.hbase;

import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasRegionServerServices;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.salus.host.FaultHandler;
import org.salus.host.metrics.Metrics;
import org.salus.monitor.hbase.Monitor;
import org.salus.regionserver.RegionServerHost;
import org.salus.regionserver.ServerContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops the engine with its region server. Name it in {@code
 * hbase.coprocessor.regionserver.classes}.
 */
// HBase declares its hooks with raw types, and offers its services to core coprocessors by a
// deprecated interface.
@SuppressWarnings({"rawtypes", "deprecation"})
@CoreCoprocessor
public final class SalusRegionServerCoprocessor implements RegionServerCoprocessor {
  private static final Logger LOG = LoggerFactory.getLogger(SalusRegionServerCoprocessor.class);

  private RegionServerServices services;
  private Monitor monitor;

  /** Whether a region server's engine can be found by clients. True for a server without one. */
  public static boolean isReady(ServerName name) {
    HostedServer server = HostedServer.of(name);
    return server == null || server.isReady();
  }

  @Override
  public void start(CoprocessorEnvironment environment) {
    try {
      services = ((HasRegionServerServices) environment).getRegionServerServices();
      startHost(
          ((RegionServerCoprocessorEnvironment) environment).getServerName(),
          environment.getConfiguration());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError failed) {
      LOG.error("the Salus engine does not start; this server hosts no volumes", failed);
      closeMonitor();
    }
  }

  @Override
  public void stop(CoprocessorEnvironment environment) {
    ServerName name = ((RegionServerCoprocessorEnvironment) environment).getServerName();
    try {
      HostedServer server = HostedServer.of(name);
      if (server != null) {
        server.stop(services.isAborted());
      }
    } catch (RuntimeException | LinkageError failed) {
      LOG.error("the Salus engine of {} does not stop cleanly", name, failed);
    }
    closeMonitor();
  }

  private void closeMonitor() {
    try {
      if (monitor != null) {
        monitor.close();
      }
    } catch (RuntimeException | LinkageError failed) {
      LOG.error("the page of Salus does not stop cleanly", failed);
    }
  }

  private void startHost(ServerName name, Configuration conf) throws ReflectiveOperationException {
    String type = conf.get(RegionServerHost.CLASS_KEY);
    if (type == null) {
      LOG.info("{} is not set: {} hosts no volumes", RegionServerHost.CLASS_KEY, name);
      return;
    }
    RegionServerHost host =
        conf.getClassLoader()
            .loadClass(type)
            .asSubclass(RegionServerHost.class)
            .getDeclaredConstructor()
            .newInstance();
    String node = name.getAddress().toString();
    Metrics metrics = new Metrics();
    FaultHandler faults =
        FaultHandler.stopping(
            "region server " + node, () -> services.abort("a bug in the Salus engine", null));
    Map<String, String> settings = values(conf);
    String zookeeper = ZKConfig.getZKQuorumServersString(conf);
    monitor =
        Monitor.start(
            new Monitor.Daemon(Monitor.Role.REGION_SERVER, node, zookeeper, settings),
            metrics,
            services instanceof HRegionServer server ? server.getInfoServer() : null);
    HostedServer.start(
        name,
        host,
        new ServerContext(
            node, name.getHostname(), name.getStartCode(), zookeeper, settings, faults, metrics));
  }

  private static Map<String, String> values(Configuration conf) {
    Map<String, String> values = new HashMap<>();
    for (Map.Entry<String, String> entry : conf) {
      values.put(entry.getKey(), conf.get(entry.getKey(), ""));
    }
    return values;
  }
}
