package org.salus.master.hbase;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasMasterServices;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.master.MasterServices;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.salus.host.Resources;
import org.salus.master.MasterHost;
import org.salus.monitor.hbase.Monitor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops Salus with the active master. Name it in {@code
 * hbase.coprocessor.master.classes}.
 */
// HBase declares its hooks with raw types, and offers its services to core coprocessors by a
// deprecated interface.
@SuppressWarnings({"rawtypes", "deprecation"})
@CoreCoprocessor
public final class SalusMasterCoprocessor implements MasterCoprocessor {
  private static final Logger LOG = LoggerFactory.getLogger(SalusMasterCoprocessor.class);

  private volatile MasterHost host;
  private Resources parts = new Resources();

  /** Guards the tables of volumes, on the threads of HBase's clients. */
  @Override
  public Optional<MasterObserver> getMasterObserver() {
    return Optional.of(new TableGuard(() -> host));
  }

  @Override
  public synchronized void start(CoprocessorEnvironment environment) {
    try {
      startHost(((HasMasterServices) environment).getMasterServices());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError failed) {
      LOG.error("Salus' master does not start; volumes are not looked after", failed);
      close();
    }
  }

  @Override
  public synchronized void stop(CoprocessorEnvironment environment) {
    close();
  }

  private void close() {
    try {
      parts.close();
    } catch (IOException | RuntimeException | LinkageError failed) {
      LOG.error("Salus' master does not stop cleanly", failed);
    }
    host = null;
  }

  private void startHost(MasterServices services) throws ReflectiveOperationException {
    String type = services.getConfiguration().get(MasterHost.CLASS_KEY);
    if (type == null) {
      LOG.info("{} is not set: nobody looks after volumes", MasterHost.CLASS_KEY);
      return;
    }
    MasterHost made =
        services
            .getConfiguration()
            .getClassLoader()
            .loadClass(type)
            .asSubclass(MasterHost.class)
            .getDeclaredConstructor()
            .newInstance();
    parts = new Resources();
    HBaseMasterContext context = new HBaseMasterContext(services);
    parts.register(context);
    parts.register(
        Monitor.start(
            new Monitor.Daemon(
                Monitor.Role.MASTER, context.node(), context.zookeeper(), context.configuration()),
            context.metrics(),
            services instanceof HRegionServer server ? server.getInfoServer() : null));
    parts.register(made::stop); // closed first, also when its start fails
    made.start(context);
    host = made;
  }
}
