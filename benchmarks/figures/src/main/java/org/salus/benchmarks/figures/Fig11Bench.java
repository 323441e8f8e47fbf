package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.network.Traffic;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;

/**
 * Figure 11: sequential writes over a network that limits them, and the traffic that they cause.
 * For one thread.
 */
public final class Fig11Bench extends FigureBench {
  private static final String WRITTEN = "what was written";
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The sustainable throughput: all traffic that a write ever causes shares the network with later
   * writes.
   */
  private static final Work WRITE =
      new Work(
          "sequential_write",
          "sequential write, until all is in compacted files",
          "MB/s",
          "1.74",
          Goal.atLeast(2.2));

  private static final Work ANSWERED =
      new Work("answered", "sequential write, until the last answer", "MB/s", "-", null);
  private static final Work SENT =
      new Work("sent", "sent by servers", "bytes/byte", "2+ to 5+", null);
  private static final Work LEAST =
      new Work("sent_least", "sent by servers", "bytes/byte", "2+", Goal.atMost(2.05));
  private static final Work SHARED =
      new Work(
          "shared", "through the switch, client and masters included", "bytes/byte", "-", null);

  /** The size of a run: rounds that count, and blocks of each store. */
  public record Scale(int repeat, int blocks) {
    public static final Scale FULL = new Scale(5, 128 << 10);
    public static final Scale QUICK = new Scale(3, 16 << 10);
  }

  private final NetworkPlacement machines;
  private final int link;
  private final int shared;
  private final Scale scale;

  /**
   * See {@link FigureBench}.
   *
   * @param machines the machines of the cluster's servers and of this process
   * @param link megabits a second of each machine in each direction
   * @param shared megabits a second of all machines together
   */
  public Fig11Bench(
      LocalCluster cluster,
      NetworkPlacement machines,
      int link,
      int shared,
      Scale scale,
      long seed,
      Consumer<String> out) {
    super(
        new OwnCluster(cluster, NetworkPlacement.SERVERS, seed, scale.blocks()),
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * 3,
        out);
    this.machines = machines;
    this.link = link;
    this.shared = shared;
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    List<CheckedStore> stores = cluster.salusAndHBase();
    for (int round = 0; round <= scale.repeat(); round++) {
      for (CheckedStore store : FigureCluster.inTurn(stores, round)) {
        begin(round, "sequential write, " + store.name());
        measure(store, round);
      }
    }
    for (CheckedStore store : stores) {
      out.accept("reading what was written, " + store.name());
      Load.everyBlock(store, Load.Access.READ, Load.inOrder());
    }
  }

  /** Measures all that a write ever costs, until it is in files and compacted. */
  private void measure(CheckedStore store, int round) throws IOException {
    double bytes = (double) scale.blocks() * BlockStoreUnderTest.BLOCK;
    Traffic before = machines.traffic();
    long begin = System.nanoTime();
    double speed = Load.everyBlock(store, Load.Access.WRITE, Load.inOrder());
    double seconds = (store.store().settle() - begin) / NANOS;
    Traffic traffic = machines.traffic().since(before);
    if (round > 0) {
      double sent = NetworkPlacement.sentByServers(traffic) / bytes;
      comparison.add(WRITE, store.name(), bytes / 1e6 / seconds);
      comparison.add(ANSWERED, store.name(), speed);
      comparison.add(SENT, store.name(), sent);
      comparison.add(SHARED, store.name(), traffic.shared() / bytes);
      if (store.name().equals(Comparison.SALUS)) {
        comparison.add(LEAST, Comparison.SALUS, sent);
        comparison.add(LEAST, WRITTEN, 1);
      }
    }
  }

  @Override
  List<String> setting() {
    List<String> all = new ArrayList<>(cluster.setting());
    all.add(
        "network: "
            + link
            + " Mbit/s in each direction of each machine, "
            + shared
            + " Mbit/s of all together; the paper's has 2000 and 1200");
    return all;
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : FigureCluster.SALUS_AND_HBASE) {
      bars.put(
          system, Stream.of(WRITE, SENT).map(work -> comparison.median(work, system)).toList());
    }
    return Plot.bars(
        "Sequential writes where the network is the limit (Figure 11), 4 KiB blocks",
        "MB/s; bytes for each byte",
        List.of("throughput", "bytes that servers sent"),
        bars);
  }
}
