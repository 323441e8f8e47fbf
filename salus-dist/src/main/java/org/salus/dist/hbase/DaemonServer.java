package org.salus.dist.hbase;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.monitoring.TaskMonitor;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.salus.datanode.hdfs.SalusDataNode;
import org.salus.datanode.hdfs.SalusNameNode;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.salus.host.DaemonThreads;
import org.salus.host.config.PartSettings;
import org.salus.regionserver.hbase.SalusRegionServerCoprocessor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one server of a cluster in this process. Separate from {@link Daemon}, which the command
 * line uses even where Hadoop and HBase are not on the class path.
 */
public final class DaemonServer {
  /** The key of ZooKeeper's data directory. */
  static final String ZOOKEEPER_DIR = PartSettings.ZOOKEEPER_DIR.key();

  private static final Logger LOG = LoggerFactory.getLogger(DaemonServer.class);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STOP_MILLIS = 8_000;
  private static final long POLL_MILLIS = 20;

  /**
   * A started server.
   *
   * @param ready whether it serves
   * @param up whether it has not ended
   * @param stop asks it to end
   * @param wasAsked whether somebody else has asked it to end, as by HBase's shell
   * @param waitsFor what it waits for until it serves, in words; empty when nothing is known
   */
  record Running(
      BooleanSupplier ready,
      BooleanSupplier up,
      Runnable stop,
      BooleanSupplier wasAsked,
      Supplier<String> waitsFor) {}

  /** A server whose settings are read. */
  public interface Prepared {
    /**
     * Runs until the server is asked to end, or a signal comes.
     *
     * @param ready called when it serves
     * @throws IOException when it ends by itself
     */
    void run(Ready ready) throws IOException, InterruptedException;
  }

  /** Called when a server serves. */
  public interface Ready {
    /** An exception ends the server. */
    void serves() throws IOException;
  }

  private DaemonServer() {}

  /**
   * @param options startup options of HDFS, for a NameNode only
   */
  static Running start(Daemon role, List<String> options, Configuration conf) throws IOException {
    return switch (role) {
      case ZOOKEEPER -> zooKeeper(conf);
      case NAMENODE -> {
        NameNode server = SalusNameNode.start(options, conf);
        Thread up = DaemonThreads.start("salus-namenode", server::join);
        yield new Running(
            () -> true,
            up::isAlive,
            server::stop,
            () -> false,
            () -> server.getNamesystem().getSafemode());
      }
      case DATANODE -> {
        DataNode server = SalusDataNode.start(conf);
        yield new Running(
            server::isDatanodeFullyStarted,
            server::isDatanodeUp,
            server::shutdown,
            () -> false,
            () -> "");
      }
      case MASTER -> {
        StartQuotas.check(conf, LOG::warn);
        HMaster server = new HMaster(conf);
        server.start();
        yield hbase(server, () -> server.getServerManager() != null);
      }
      case REGIONSERVER -> {
        HRegionServer server = new HRegionServer(conf);
        server.start();
        yield hbase(server, () -> serves(server));
      }
    };
  }

  private static Running zooKeeper(Configuration conf) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(
            conf.get(
                PartSettings.ZOOKEEPER_ADDRESS.key(), PartSettings.ZOOKEEPER_ADDRESS.fallback()),
            conf.getInt("hbase.zookeeper.property.clientPort", 2181));
    EmbeddedZooKeeper server =
        EmbeddedZooKeeper.start(Path.of(required(conf, ZOOKEEPER_DIR)), address, false);
    return new Running(server::isRunning, server::isRunning, server::close, () -> false, () -> "");
  }

  /**
   * Reads the settings of a server.
   *
   * @param options startup options of HDFS, for a NameNode only
   * @param conf a file in Hadoop's XML
   */
  public static Prepared prepare(Daemon role, List<String> options, Path conf) throws IOException {
    Configuration settings = read(conf);
    DefaultSettings.add(conf);
    return ready -> run(role, options, settings, ready);
  }

  /**
   * Reads a configuration file, and the files that it includes, over the defaults of HDFS and
   * HBase.
   */
  static Configuration read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file + "; give a file with --conf");
    }
    HdfsConfiguration.init();
    Configuration configuration = HBaseConfiguration.create();
    try {
      configuration.addResource(new org.apache.hadoop.fs.Path(file.toAbsolutePath().toUri()));
      configuration.size(); // reads it
    } catch (RuntimeException wrong) {
      throw new IOException("cannot read " + file + ": " + wrong.getMessage(), wrong);
    }
    return configuration;
  }

  private static String required(Configuration conf, String key) throws IOException {
    String value = conf.get(key, "");
    if (value.isEmpty()) {
      throw new IOException(
          key + " is not set; set it in the file of --conf, see docs/configuration.md");
    }
    return value;
  }

  /** Whether a region server takes regions, and clients can find its Salus engine. */
  static boolean serves(HRegionServer server) {
    return server.isOnline() && SalusRegionServerCoprocessor.isReady(server.getServerName());
  }

  private static Running hbase(HRegionServer server, BooleanSupplier ready) {
    return new Running(
        ready,
        server::isAlive,
        () -> server.stop("asked to"),
        () -> server.isStopped() && !server.isAborted(),
        () -> ready.getAsBoolean() ? "" : tasks());
  }

  /** The running tasks of a server of HBase, in words. */
  private static String tasks() {
    return TaskMonitor.get().getTasks().stream()
        .filter(t -> t.getState() == MonitoredTask.State.RUNNING)
        .map(t -> t.getDescription() + ": " + t.getStatus())
        .collect(Collectors.joining("; "));
  }

  static void run(Daemon role, List<String> options, Configuration conf, Ready ready)
      throws IOException, InterruptedException {
    serve(started(role, options, conf), ready);
  }

  static void serve(Running server, Ready ready) throws IOException, InterruptedException {
    AtomicBoolean signalled = new AtomicBoolean();
    // The hook must not wait for this thread itself, which goes on to System.exit and blocks there.
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  signalled.set(true);
                  server.stop.run();
                  try {
                    ended.await(STOP_MILLIS, TimeUnit.MILLISECONDS);
                  } catch (InterruptedException cut) {
                    Thread.currentThread().interrupt();
                  }
                },
                "salus-stop"));
    try {
      awaitWhileUp(server, server.ready);
      if (!server.ready.getAsBoolean()) {
        throw new IOException("it ended before it was ready; its log says why");
      }
      ready.serves();
      awaitWhileUp(server, () -> false);
      if (!signalled.get() && !server.wasAsked.getAsBoolean()) {
        throw new IOException("it has ended by itself; its log says why");
      }
    } finally {
      ended.countDown();
    }
  }

  /**
   * Same as {@link #start}. Adds the causes' messages to an error's message, since HBase and HDFS
   * often only log them.
   */
  private static Running started(Daemon role, List<String> options, Configuration conf)
      throws IOException {
    try {
      return start(role, options, conf);
    } catch (IOException | RuntimeException failed) {
      String own = failed.getMessage() == null ? failed.toString() : failed.getMessage();
      String message = own;
      for (Throwable cause = failed.getCause(); cause != null; cause = cause.getCause()) {
        if (cause.getMessage() != null && !message.contains(cause.getMessage())) {
          message += ": " + cause.getMessage();
        }
      }
      if (message.equals(own)) {
        throw failed;
      }
      throw new IOException(message, failed);
    }
  }

  /** Waits while the server is up. Logs every 10 s what it waits for. */
  private static void awaitWhileUp(Running server, BooleanSupplier condition)
      throws InterruptedException {
    long told = System.nanoTime();
    while (server.up.getAsBoolean() && !condition.getAsBoolean()) {
      Thread.sleep(POLL_MILLIS);
      if (System.nanoTime() - told > TELL_NANOS) {
        told = System.nanoTime();
        String waitsFor = server.waitsFor.get();
        if (!waitsFor.isEmpty()) {
          LOG.info("Waits: {}", waitsFor);
        }
      }
    }
  }
}
