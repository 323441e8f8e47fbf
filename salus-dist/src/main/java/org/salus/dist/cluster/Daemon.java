package org.salus.dist.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.monitoring.TaskMonitor;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.salus.datanode.hdfs.SalusNameNode;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one process of a cluster does; each is the stock server with Salus' parts in it. */
public enum Daemon {
  ZOOKEEPER {
    @Override
    Running start(Configuration conf) throws IOException {
      EmbeddedZooKeeper server = EmbeddedZooKeeper.start(Path.of(conf.get(ZOOKEEPER_DIR)), conf.getInt("hbase.zookeeper.property.clientPort", 2181), false);
      return new Running(server::isRunning, server::close, Daemon::forever);
    }
  },
  NAMENODE {
    @Override
    Running start(Configuration conf) throws IOException {
      SalusNameNode server = SalusNameNode.start(conf);
      return new Running(() -> true, server::stop, () -> whileUp(server));
    }
  },
  DATANODE {
    @Override
    Running start(Configuration conf) throws IOException {
      DataNode server = DataNode.createDataNode(new String[0], conf);
      return new Running(server::isDatanodeFullyStarted, server::shutdown, () -> whileUp(server));
    }
  },
  MASTER {
    @Override
    Running start(Configuration conf) throws IOException {
      HMaster server = new HMaster(conf);
      server.start();
      return new Running(() -> server.getServerManager() != null, () -> server.stop("asked to"), server::join);
    }
  },
  REGIONSERVER {
    @Override
    Running start(Configuration conf) throws IOException {
      HRegionServer server = new HRegionServer(conf);
      server.start();
      return new Running(server::isOnline, () -> server.stop("asked to"), server::join);
    }
  };

  /** Configuration key: where ZooKeeper keeps its data. */
  static final String ZOOKEEPER_DIR = "salus.zookeeper.dir";

  private static final Logger LOG = LoggerFactory.getLogger(Daemon.class);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STOP_MILLIS = 8_000;
  private static final long POLL_MILLIS = 20;

  /** Something that may be interrupted. */
  interface Waiting {
    void run() throws InterruptedException;
  }

  /** A server that was started. */
  record Running(BooleanSupplier ready, Runnable stop, Waiting join) {}

  abstract Running start(Configuration conf) throws IOException;

  /** A NameNode waits for its DataNodes, which may have lost what it waits for: it says so until it has it. */
  private static void whileUp(SalusNameNode server) throws InterruptedException {
    await(() -> !server.isInSafeMode() || !server.isUp(), () -> server.getNamesystem().getSafemode());
    server.join();
  }

  private static void whileUp(DataNode server) throws InterruptedException {
    while (server.isDatanodeUp()) {
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static void forever() throws InterruptedException {
    Thread.sleep(Long.MAX_VALUE);
  }

  /**
   * Runs until the server ends or a signal comes.
   *
   * @param ready told when it serves
   */
  public void run(Configuration conf, Runnable ready) throws IOException, InterruptedException {
    Running server = start(conf);
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.stop.run();
      try {
        main.join(STOP_MILLIS);
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
      }
    }, "salus-stop"));
    await(server.ready, Daemon::tasks);
    ready.run();
    server.join.run();
  }

  /** Never waits without saying for what. */
  private static void await(BooleanSupplier condition, Supplier<String> state) throws InterruptedException {
    long told = System.nanoTime();
    while (!condition.getAsBoolean()) {
      Thread.sleep(POLL_MILLIS);
      if (System.nanoTime() - told > TELL_NANOS) {
        told = System.nanoTime();
        LOG.info("Not ready yet: {}", state.get());
      }
    }
  }

  /** What HBase's servers are at. */
  private static String tasks() {
    return TaskMonitor.get().getTasks().stream().filter(t -> t.getState() == MonitoredTask.State.RUNNING)
        .map(t -> t.getDescription() + ": " + t.getStatus()).collect(Collectors.joining("; "));
  }
}
