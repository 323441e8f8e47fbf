package org.salus.dist.hbase;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.util.JVMClusterUtil.MasterThread;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.salus.datanode.hdfs.EmbeddedHdfs;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.salus.host.DaemonThreads;
import org.salus.host.EndingThreads;
import org.salus.host.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * ZooKeeper, a NameNode, DataNodes, an HBase master and region servers in this process, with all
 * data in one directory. Only one thread at a time may call {@link #start} and {@link #stop}.
 */
public final class EmbeddedCluster implements AutoCloseable {
  /** The key of a region server's setting for {@code ip:port} of its DataNode. */
  public static final String DATA_NODE_KEY = "salus.server.datanode";

  /** Fewest servers: files have three replicas. */
  public static final int MIN_SERVERS = 3;

  /** Most servers: one process can carry no more. */
  public static final int MAX_SERVERS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedCluster.class);
  private static final org.apache.hadoop.fs.Path ROOT = new org.apache.hadoop.fs.Path("/");
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(180);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(6);

  private final CompletableFuture<String> died = new CompletableFuture<>();
  private final EmbeddedHdfs hdfs;
  private final LocalHBaseCluster hbase;
  private final Configuration conf;
  private final Resources parts;
  private volatile boolean stopping;

  private EmbeddedCluster(
      EmbeddedHdfs hdfs, LocalHBaseCluster hbase, Configuration conf, Resources parts) {
    this.hdfs = hdfs;
    this.hbase = hbase;
    this.conf = conf;
    this.parts = parts;
  }

  /**
   * Starts a cluster. Returns when all servers take regions.
   *
   * @param data the cluster's directory; closed when the cluster stops or does not start
   * @param servers number of region servers and of DataNodes, 3 to 32; not fewer than at an earlier
   *     start
   * @param settings settings for every server; they override the cluster's own
   * @param progress takes a few words about each step
   */
  public static EmbeddedCluster start(
      DataDirectory data, int servers, Map<String, String> settings, Consumer<String> progress)
      throws IOException {
    if (servers < MIN_SERVERS || servers > MAX_SERVERS) {
      throw new IllegalArgumentException(
          servers + " servers; from " + MIN_SERVERS + " to " + MAX_SERVERS + " are possible");
    }
    Resources parts = new Resources();
    parts.register(data);
    try {
      return startAll(data, servers, settings, progress, parts);
    } catch (IOException | RuntimeException failed) {
      close(parts);
      throw failed;
    }
  }

  /**
   * Same as {@link #start(DataDirectory, int, Map, Consumer)} in a directory that {@link
   * DataDirectory#open} opens.
   */
  public static EmbeddedCluster start(
      Path dir, int servers, Map<String, String> settings, Consumer<String> progress)
      throws IOException {
    return start(DataDirectory.open(dir), servers, settings, progress);
  }

  private static EmbeddedCluster startAll(
      DataDirectory data,
      int servers,
      Map<String, String> settings,
      Consumer<String> progress,
      Resources parts)
      throws IOException {
    data.servers(servers);
    int port = data.zookeeperPort();
    progress.accept("starting ZooKeeper on 127.0.0.1:" + port);
    parts.register(
        EmbeddedZooKeeper.start(
            data.path().resolve("zookeeper"), new InetSocketAddress("127.0.0.1", port), true));
    progress.accept("starting HDFS with " + servers + " DataNodes");
    EmbeddedHdfs hdfs =
        parts.register(
            EmbeddedHdfs.start(
                data.path().resolve("hdfs"),
                servers,
                LocalSettings.hdfs(ServerAddresses.LOOPBACK, port, settings)));
    Configuration conf = LocalSettings.cluster(data, port, hdfs.settings(), servers, settings);
    dropOldConnection(hdfs, conf);
    StartQuotas.check(conf, progress);
    progress.accept("starting HBase with " + servers + " region servers");
    conf.set("hbase.regionserver.abort.timeout.task", OthersGoOn.class.getName());
    LocalHBaseCluster hbase = new LocalHBaseCluster(conf, 1, 0);
    parts.register(() -> stopHBase(hbase));
    for (int server = 0; server < servers; server++) {
      hbase.addRegionServer(LocalSettings.server(conf, data, hdfs.settings(), server), server);
    }
    data.save();
    EmbeddedCluster cluster = new EmbeddedCluster(hdfs, hbase, conf, parts);
    cluster.startHBase(servers);
    cluster.watchMaster();
    return cluster;
  }

  /**
   * Makes Hadoop drop a connection to an earlier NameNode of this process at the same address.
   * Hadoop keeps connections open; the first call over a dead one fails, and HBase would give up
   * then.
   *
   * @param conf HBase's, which gets the same file system from Hadoop's cache
   */
  private static void dropOldConnection(EmbeddedHdfs hdfs, Configuration conf) throws IOException {
    FileSystem files = FileSystem.get(hdfs.nameNodeUri(), conf);
    try {
      files.exists(ROOT);
    } catch (IOException dead) {
      files.exists(ROOT);
    }
  }

  private void startHBase(int servers) throws IOException {
    long end = System.nanoTime() + START_NANOS;
    hbase.getMasters().forEach(Thread::start);
    // A region server that reports too early waits seconds before it tries again.
    await(end, "the HBase master", () -> master() != null && master().getServerManager() != null);
    hbase.getRegionServers().forEach(Thread::start);
    await(end, "the HBase master", () -> master() != null && master().isInitialized());
    // A region server gets regions only after its first report.
    await(
        end,
        "the region servers",
        () ->
            master().getServerManager().createDestinationServersList().size() >= servers
                && hbase.getRegionServers().stream()
                    .allMatch(r -> DaemonServer.serves(r.getRegionServer())));
  }

  private void await(long end, String what, BooleanSupplier condition) throws IOException {
    while (!condition.getAsBoolean()) {
      if (hbase.getLiveMasters().isEmpty() || System.nanoTime() > end) {
        throw new IOException(what + " did not start; see the log");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private void watchMaster() {
    MasterThread master = hbase.getMasters().get(0);
    DaemonThreads.start(
        "salus-cluster-watch",
        () -> {
          try {
            master.join();
          } catch (InterruptedException neverHere) {
            return;
          }
          if (!stopping) {
            died.complete("the HBase master ended by itself");
          }
        });
  }

  /** Completes with the reason when the cluster ends other than by {@link #stop}. */
  public CompletableFuture<String> died() {
    return died;
  }

  /** {@code host:port} of ZooKeeper. */
  public String zookeeper() {
    return conf.get("hbase.zookeeper.quorum")
        + ":"
        + conf.get("hbase.zookeeper.property.clientPort");
  }

  /** A configuration for clients of HBase and HDFS. */
  public Configuration configuration() {
    return new Configuration(conf);
  }

  public EmbeddedHdfs hdfs() {
    return hdfs;
  }

  /**
   * {@code host:port} of the running region servers. Server {@code i} of the start has the address
   * 127.0.0.(11+i).
   */
  public List<String> servers() {
    List<String> nodes = new ArrayList<>();
    for (RegionServerThread server : hbase.getLiveRegionServers()) {
      nodes.add(server.getRegionServer().getServerName().getAddress().toString());
    }
    return nodes;
  }

  /**
   * Ends one region server as a fatal error would. Does nothing when {@link #servers} does not have
   * {@code node}.
   */
  public void abortServer(String node, String why) {
    for (RegionServerThread server : hbase.getLiveRegionServers()) {
      if (server.getRegionServer().getServerName().getAddress().toString().equals(node)) {
        server.getRegionServer().abort(why);
      }
    }
  }

  /** The active master; null when there is none. */
  HMaster master() {
    return hbase.getActiveMaster();
  }

  /** Stops all parts in order. The data stays. Leaves parts behind that do not end in time. */
  public void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    close(parts);
  }

  private static void close(Resources parts) {
    try {
      parts.close();
    } catch (IOException unclean) {
      LOG.warn("the cluster does not stop cleanly", unclean);
    }
    stopWalClosers();
  }

  private static void stopHBase(LocalHBaseCluster hbase) {
    List<Thread> threads = new ArrayList<>(hbase.getRegionServers());
    threads.addAll(hbase.getMasters());
    try {
      HMaster master = hbase.getActiveMaster();
      if (master != null && master.isInitialized()) {
        master.shutdown();
      } else {
        stopEach(hbase, "the cluster never was ready");
      }
      EndingThreads.await(threads, STOP_NANOS);
    } catch (IOException failed) {
      LOG.warn("HBase does not stop cleanly", failed);
    }
    stopEach(hbase, "the cluster stops");
  }

  /** HBase's threads, which try for 15 minutes to recover WALs of the HDFS that is gone. */
  private static void stopWalClosers() {
    Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("Close-WAL-Writer"))
        .forEach(Thread::interrupt);
  }

  private static void stopEach(LocalHBaseCluster hbase, String why) {
    hbase.getLiveRegionServers().forEach(server -> server.getRegionServer().stop(why));
    hbase.getLiveMasters().forEach(master -> master.getMaster().stop(why));
  }

  @Override
  public void close() {
    stop();
  }
}
