package org.salus.dist.hbase;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
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
import org.salus.datanode.hdfs.SalusDataNode;
import org.salus.datanode.hdfs.SalusNameNode;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.salus.host.config.PartSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one process of a cluster does; each is the stock server with Salus' parts in it. */
public enum Daemon {
  ZOOKEEPER {
    @Override
    Running start(Configuration conf) throws IOException {
      InetSocketAddress address =
          new InetSocketAddress(
              conf.get(
                  PartSettings.ZOOKEEPER_ADDRESS.key(), PartSettings.ZOOKEEPER_ADDRESS.fallback()),
              conf.getInt("hbase.zookeeper.property.clientPort", 2181));
      EmbeddedZooKeeper server =
          EmbeddedZooKeeper.start(Path.of(required(conf, ZOOKEEPER_DIR)), address, false);
      return new Running(server::isRunning, server::isRunning, server::close, () -> "");
    }
  },
  NAMENODE {
    @Override
    Running start(Configuration conf) throws IOException {
      SalusNameNode server = SalusNameNode.start(conf);
      return new Running(
          () -> true, server::isUp, server::stop, () -> server.getNamesystem().getSafemode());
    }
  },
  DATANODE {
    @Override
    Running start(Configuration conf) throws IOException {
      DataNode server = SalusDataNode.start(conf);
      return new Running(
          server::isDatanodeFullyStarted, server::isDatanodeUp, server::shutdown, () -> "");
    }
  },
  MASTER {
    @Override
    Running start(Configuration conf) throws IOException {
      HMaster server = new HMaster(conf);
      server.start();
      return hbase(server, () -> server.getServerManager() != null);
    }
  },
  REGIONSERVER {
    @Override
    Running start(Configuration conf) throws IOException {
      HRegionServer server = new HRegionServer(conf);
      server.start();
      return hbase(server, server::isOnline);
    }
  };

  /** Configuration key: where ZooKeeper keeps its data. */
  static final String ZOOKEEPER_DIR = PartSettings.ZOOKEEPER_DIR.key();

  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STOP_MILLIS = 8_000;
  private static final long POLL_MILLIS = 20;

  /**
   * A server that was started.
   *
   * @param up whether it has not ended, by itself or since it was asked to
   * @param waitsFor what it cannot serve without; empty when there is nothing to say
   */
  record Running(
      BooleanSupplier ready, BooleanSupplier up, Runnable stop, Supplier<String> waitsFor) {}

  /** A server whose settings are read. */
  public interface Prepared {
    /**
     * Runs until the server ends or a signal comes.
     *
     * @param ready told when it serves
     * @throws IOException when it ends before
     */
    void run(Ready ready) throws IOException, InterruptedException;
  }

  /** Told when a server serves. */
  public interface Ready {
    /** An exception ends the server. */
    void serves() throws IOException;
  }

  abstract Running start(Configuration conf) throws IOException;

  /**
   * Reads the settings of this server.
   *
   * @param conf a file in Hadoop's XML
   */
  public Prepared prepare(Path conf) throws IOException {
    Configuration settings = read(conf);
    return ready -> run(settings, ready);
  }

  /** A configuration file, and the files that it includes, over the defaults of HDFS and HBase. */
  static Configuration read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file + "; give a file with --conf");
    }
    HdfsConfiguration.init();
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(file.toAbsolutePath().toUri()));
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

  private static Running hbase(HRegionServer server, BooleanSupplier ready) {
    return new Running(
        ready,
        server::isAlive,
        () -> server.stop("asked to"),
        () -> ready.getAsBoolean() ? "" : tasks());
  }

  /** What a server of HBase is at. */
  private static String tasks() {
    return TaskMonitor.get().getTasks().stream()
        .filter(t -> t.getState() == MonitoredTask.State.RUNNING)
        .map(t -> t.getDescription() + ": " + t.getStatus())
        .collect(Collectors.joining("; "));
  }

  private void run(Configuration conf, Ready ready) throws IOException, InterruptedException {
    Running server = started(conf);
    Thread main = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.stop.run();
                  try {
                    main.join(STOP_MILLIS);
                  } catch (InterruptedException cut) {
                    Thread.currentThread().interrupt();
                  }
                },
                "salus-stop"));
    awaitWhileUp(server, server.ready);
    if (!server.ready.getAsBoolean()) {
      throw new IOException("it ended before it was ready; its log says why");
    }
    ready.serves();
    awaitWhileUp(server, () -> false);
  }

  /**
   * As {@link #start}; its error says what the causes say, which HBase and HDFS often leave to the
   * log.
   */
  private Running started(Configuration conf) throws IOException {
    try {
      return start(conf);
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

  /** Never waits without saying for what. */
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
