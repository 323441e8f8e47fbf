package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.watch.ServerMemory;
import org.salus.benchmarks.figures.watch.Spent;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.benchmarks.peers.PeerServers.ServerPlace;
import org.salus.benchmarks.peers.hbase.StockSettings;
import org.salus.benchmarks.peers.primarybackup.PrimaryBackupBlocks;
import org.salus.benchmarks.peers.primarybackup.PrimaryBackupBlocks.Primaries;
import org.salus.benchmarks.peers.ratis.RatisBlocks;
import org.salus.benchmarks.peers.ratis.RatisServers;
import org.salus.benchmarks.peers.ring.RingBlocks;
import org.salus.core.Lanes;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.ClientSettings;

/** A cluster of processes on this machine, which the figure starts itself. For one thread. */
public final class OwnCluster extends FigureCluster {
  /** Servers of a figure whose paper does not say how many. */
  public static final int SERVERS = 4;

  /**
   * By default HBase keeps deleted files for up to 20 minutes; in that time a benchmark would fill
   * a disk.
   */
  private static final Map<String, String> DELETES_SOON =
      Map.of(
          "hbase.hfile.compaction.discharger.interval", "10000",
          "hbase.master.cleaner.interval", "10000",
          "hbase.master.logcleaner.ttl", "10000",
          "hbase.master.hfilecleaner.ttl", "10000");

  /** Free: each server of a ring has a machine of its own. */
  private static final int RING_PORT = 9000;

  private static final String RING_HEAP = "256m";

  private final LocalCluster cluster;
  private final int servers;
  private final Map<String, String> settings = new TreeMap<>(StockSettings.defaults());
  private final List<PeerServers> others = new ArrayList<>();
  private int killed;

  /**
   * @param servers region servers, each with a DataNode
   * @param seed of all contents
   * @param blocks of each store
   */
  public OwnCluster(LocalCluster cluster, int servers, long seed, int blocks) {
    this(cluster, servers, Map.of(), seed, blocks);
  }

  /**
   * As {@link #OwnCluster(LocalCluster, int, long, int)}, with settings on top of stock HBase's.
   */
  public OwnCluster(
      LocalCluster cluster, int servers, Map<String, String> settings, long seed, int blocks) {
    super("bench" + servers + "-", seed, blocks);
    this.cluster = cluster;
    this.servers = servers;
    this.settings.putAll(DELETES_SOON);
    this.settings.putAll(settings);
  }

  @Override
  public void start(Consumer<String> progress) throws IOException {
    cluster.start(servers, settings, progress);
  }

  @Override
  public Map<String, String> client() throws IOException {
    return Map.of(ClientSettings.QUORUM.key(), cluster.zookeeper());
  }

  @Override
  public int members() {
    return Math.min(Lanes.COUNT, servers - killed);
  }

  /** Starts three servers of Ratis beside the cluster. They stop with the stores. */
  public PeerServers ratis() throws IOException {
    return start(RatisServers.here(cluster.dir().resolve("ratis")));
  }

  private PeerServers start(PeerServers servers) throws IOException {
    others.add(servers);
    servers.start();
    return servers;
  }

  /** A replicated state machine on these servers of Ratis. */
  public CheckedStore ratis(PeerServers on) throws IOException {
    return open(new RatisBlocks(on, BATCH * BATCHES));
  }

  /** Primary-backup on these servers of Ratis. */
  public CheckedStore primaryBackup(PeerServers on, Primaries primaries) throws IOException {
    return open(new PrimaryBackupBlocks(primaries, on, BATCH * BATCHES));
  }

  /** Blocks on a ring of their own, on the first of these machines. */
  public CheckedStore ring(String name, NetworkPlacement machines, int replicas)
      throws IOException {
    int port = RING_PORT + others.size();
    List<ServerPlace> ring =
        IntStream.range(0, replicas)
            .mapToObj(
                i ->
                    new ServerPlace(
                        machines.onServer(i), machines.addresses().server(i) + ":" + port))
            .toList();
    PeerServers on =
        start(
            new PeerServers(
                cluster.dir().resolve("ring" + replicas), RingBlocks.server(), RING_HEAP, ring));
    return open(new RingBlocks(name, on.addresses(), BATCH * BATCHES));
  }

  /** Kills the pair (region server and DataNode) of this number, from 0 on. */
  public void kill(int pair) throws IOException {
    for (Daemon role : List.of(Daemon.REGIONSERVER, Daemon.DATANODE)) {
      cluster.daemon(role, pair).kill();
    }
    killed++;
  }

  /** Starts what was killed. */
  public void startAgain() throws IOException {
    cluster.start(servers, settings, step -> {});
    killed = 0;
  }

  @Override
  public Optional<Spent> spent() throws IOException {
    List<ProcessHandle> all = new ArrayList<>(List.of(ProcessHandle.current()));
    for (DaemonProcess d : cluster.daemons()) {
      d.process().ifPresent(all::add);
    }
    return Optional.of(Spent.by(all));
  }

  /** What the servers of one kind have spent until now. */
  Spent spent(Daemon role) throws IOException {
    List<ProcessHandle> all = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      cluster.daemon(role, i).process().ifPresent(all::add);
    }
    return Spent.by(all);
  }

  /** The memory of each region server now. */
  public List<ServerMemory> memory() throws IOException {
    List<ServerMemory> all = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      all.add(ServerMemory.of(cluster.daemon(Daemon.REGIONSERVER, i).running()));
    }
    return all;
  }

  @Override
  List<String> servers() {
    return List.of(
        "servers: "
            + servers
            + " region servers and DataNodes, "
            + cluster.regionServerHeap()
            + " of heap a region server, serial collector; ZooKeeper, NameNode and master without the optimizing compiler; "
            + StockSettings.versions(),
        "settings of the servers: " + settings);
  }

  @Override
  public void close() throws IOException {
    super.close();
    others.forEach(PeerServers::close);
  }
}
