package org.salus.dist.bench.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.core.Lanes;
import org.salus.dist.bench.figures.PeerServers.Host;
import org.salus.dist.bench.figures.hbase.HBaseBlocks;
import org.salus.dist.bench.figures.hbase.StockSettings;
import org.salus.dist.bench.figures.ratis.RatisBlocks;
import org.salus.dist.bench.figures.ratis.RatisServers;
import org.salus.dist.bench.figures.ring.RingBlocks;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.cluster.LocalCluster;

/** A cluster and the stores on it that are compared. For one thread. */
final class FigureCluster implements AutoCloseable {
  /** Requests of a batch, as in the paper. */
  static final int BATCH = 250;
  /** Batches outstanding where more than one are. */
  static final int BATCHES = 8;

  private static final String HBASE_1 = "HBase, 1 batch";
  private static final String HBASE_8 = "HBase, " + BATCHES + " batches";
  /** The names of the stores of {@link #salusAndHBase}, in their order. */
  static final List<String> SALUS_AND_HBASE = List.of(Comparison.SALUS, HBASE_1, HBASE_8);

  /** Servers, where the paper has no number of its own. */
  static final int SERVERS = 4;
  /** Of each volume and each table. */
  private static final int REGIONS = 4;

  /** On hosts of their own, where nothing else listens there. */
  private static final int RING_PORT = 9000;
  private static final String RING_HEAP = "256m";

  private final LocalCluster cluster;
  private final int servers;
  private final Contents contents;
  private final int blocks;
  private int killed;
  private final Map<String, String> settings = new TreeMap<>(StockSettings.defaults());
  private final List<BlockStoreUnderTest> stores = new ArrayList<>();
  private final List<PeerServers> others = new ArrayList<>();

  /** As {@link #FigureCluster(LocalCluster, int, long, int)}, with {@link #SERVERS}. */
  FigureCluster(LocalCluster cluster, long seed, int blocks) {
    this(cluster, SERVERS, seed, blocks);
  }

  /**
   * @param servers region servers, each with a DataNode
   * @param seed of all contents
   * @param blocks of each store
   */
  FigureCluster(LocalCluster cluster, int servers, long seed, int blocks) {
    this(cluster, servers, Map.of(), seed, blocks);
  }

  /** As {@link #FigureCluster(LocalCluster, int, long, int)}, with settings on top of stock HBase's. */
  FigureCluster(LocalCluster cluster, int servers, Map<String, String> settings, long seed, int blocks) {
    this.cluster = cluster;
    this.servers = servers;
    this.settings.putAll(settings);
    this.contents = new Contents(seed);
    this.blocks = blocks;
  }

  void start(Consumer<String> progress) throws IOException {
    cluster.start(servers, settings, progress);
  }

  /**
   * A fresh volume; as many requests may be outstanding as where HBase has most batches.
   *
   * @param synced whether each write is on disk before it completes
   */
  CheckedStore salus(String name, boolean synced) throws IOException {
    return salus(name, synced, REGIONS);
  }

  /** As {@link #salus(String, boolean)}, in so many regions. */
  CheckedStore salus(String name, boolean synced, int regions) throws IOException {
    return open(new SalusBlocks(name, "volume" + servers + "-" + stores.size(), new SalusBlocks.Shape(regions, BATCH * BATCHES, synced), this::members,
        cluster.zookeeper()));
  }

  /** A fresh table, with as many regions as a volume has. */
  CheckedStore hbase(String name, int batch, int outstanding, boolean synced) throws IOException {
    return open(new HBaseBlocks(name, "table" + servers + "-" + stores.size(), cluster.zookeeper(), new HBaseBlocks.Shape(REGIONS, batch, outstanding, synced)));
  }

  /** A volume, and tables with one batch outstanding, as in the paper, and with several. */
  List<CheckedStore> salusAndHBase() throws IOException {
    return List.of(salus(Comparison.SALUS, false), hbase(HBASE_1, BATCH, 1, false), hbase(HBASE_8, BATCH, BATCHES, false));
  }

  private CheckedStore open(BlockStoreUnderTest store) throws IOException {
    stores.add(store);
    store.open(blocks);
    return new CheckedStore(store, contents, blocks);
  }

  /** How many each region can have. */
  private int members() {
    return Math.min(Lanes.COUNT, servers - killed);
  }

  /** Three servers of Ratis beside the cluster, which are stopped with the stores. */
  PeerServers ratis() throws IOException {
    return start(RatisServers.here(cluster.dir().resolve("ratis")));
  }

  private PeerServers start(PeerServers servers) throws IOException {
    others.add(servers);
    servers.start();
    return servers;
  }

  /** Blocks in groups of their own on these servers. */
  CheckedStore ratis(PeerServers on, RatisBlocks.Reads reads) throws IOException {
    return open(new RatisBlocks(reads, on, BATCH * BATCHES));
  }

  /** Blocks on a ring of their own, on the first of these hosts. */
  CheckedStore ring(String name, NetworkHosts hosts, int replicas) throws IOException {
    int port = RING_PORT + others.size();
    List<Host> ring = IntStream.range(0, replicas).mapToObj(i -> new Host(hosts.onServer(i), hosts.addresses().server(i) + ":" + port)).toList();
    PeerServers on = start(new PeerServers(cluster.dir().resolve("ring" + replicas), RingBlocks.server(), RING_HEAP, ring));
    return open(new RingBlocks(name, on.addresses(), BATCH * BATCHES));
  }

  /** Kills the region server and the DataNode of one of the hosts, counted from 0. */
  void kill(int host) throws IOException {
    for (Daemon role : List.of(Daemon.REGIONSERVER, Daemon.DATANODE)) {
      cluster.daemon(role, host).kill();
    }
    killed++;
  }

  /** Starts what was killed. */
  void startAgain() throws IOException {
    cluster.start(servers, settings, step -> { });
    killed = 0;
  }

  /** What the servers and this process have spent until now. */
  Spent spent() throws IOException {
    List<ProcessHandle> all = new ArrayList<>(List.of(ProcessHandle.current()));
    for (DaemonProcess d : cluster.daemons()) {
      d.process().ifPresent(all::add);
    }
    return Spent.by(all);
  }

  /** What the servers of one kind have spent until now. */
  Spent spent(Daemon role) throws IOException {
    List<ProcessHandle> all = new ArrayList<>();
    for (int i = 0; i < servers; i++) {
      cluster.daemon(role, i).process().ifPresent(all::add);
    }
    return Spent.by(all);
  }

  /** The same, another one first in every round. */
  static <T> List<T> inTurn(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    Collections.rotate(turned, -round);
    return turned;
  }

  /** What there is to say about all of it, in lines. */
  List<String> setting() {
    return List.of(
        "seed: " + contents.seed(),
        "stores: " + blocks + " blocks of 4 KiB each, " + REGIONS + " regions, log segments of the default size",
        "servers: " + servers + " region servers and DataNodes, " + cluster.regionServerHeap() + " of heap a region server, serial collector, "
            + StockSettings.versions(),
        "settings of the servers: " + settings);
  }

  @Override
  public void close() throws IOException {
    for (BlockStoreUnderTest store : stores) {
      store.close();
    }
    others.forEach(PeerServers::close);
  }
}
