package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;

/**
 * Figure 13: the throughput of sequential writes with a barrier after every N of them. For one
 * thread.
 */
public final class Fig13Bench extends FigureBench {
  private static final String HBASE = "HBase";
  private static final String HBASE_SYNCED = "HBase, synced";

  /** The numbers of writes between barriers. */
  private static final List<Integer> EVERY = List.of(1, 4, 16, 64, 256);

  private static final int WARM_UP_EVERY = 16;
  private static final Work FLAT =
      new Work("flat", "the slowest beside the fastest N", "MB/s", "1", Goal.atLeast(0.95));
  private static final String FASTEST = "Salus, fastest N";

  /**
   * The size of a run: rounds that count, blocks of each store, seconds of each measurement, and
   * seconds that each store warms up.
   */
  public record Scale(int repeat, int blocks, int seconds, int warmUpSeconds) {
    public static final Scale FULL = new Scale(5, 64 << 10, 15, 30);
    public static final Scale QUICK = new Scale(3, 16 << 10, 1, 10);
  }

  private final Scale scale;

  /** See {@link FigureBench}. */
  public Fig13Bench(FigureServers on, Scale scale, long seed, Consumer<String> out) {
    super(
        on.cluster(seed, scale.blocks()),
        seed,
        scale.repeat(),
        (1 + scale.repeat() * EVERY.size()) * 3,
        out);
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    List<CheckedStore> stores =
        List.of(
            cluster.salus(Comparison.SALUS, false),
            cluster.hbase(HBASE, FigureCluster.BATCH, FigureCluster.BATCHES, false),
            cluster.hbase(HBASE_SYNCED, FigureCluster.BATCH, FigureCluster.BATCHES, true));
    for (CheckedStore store : stores) {
      measure(store, WARM_UP_EVERY, 0, scale.warmUpSeconds());
    }
    for (int round = 1; round <= scale.repeat(); round++) {
      round(stores, round);
    }
  }

  private void round(List<CheckedStore> stores, int round) throws IOException {
    double slowest = Double.MAX_VALUE;
    double fastest = 0;
    for (int every :
        FigureCluster.inTurn(
            EVERY, round - 1)) { // servers get faster for a while, which must favour no N
      for (CheckedStore store : FigureCluster.inTurn(stores, round)) {
        double speed = measure(store, every, round, scale.seconds());
        comparison.add(work(every), store.name(), speed);
        if (store.name().equals(Comparison.SALUS)) {
          slowest = Math.min(slowest, speed);
          fastest = Math.max(fastest, speed);
        }
      }
    }
    comparison.add(FLAT, Comparison.SALUS, slowest);
    comparison.add(FLAT, FASTEST, fastest);
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private double measure(CheckedStore store, int every, int round, int seconds) throws IOException {
    begin(round, "a barrier every " + every + ", " + store.name());
    double speed = Load.withBarriers(store, every, TimeUnit.SECONDS.toNanos(seconds));
    store.store().settle();
    return speed;
  }

  /**
   * The paper names two points of HBase's line, 3 MB/s at 1 and 14 MB/s at 32. It names 18 MB/s for
   * Salus everywhere.
   */
  private static Work work(int every) {
    return new Work(
        "every_" + every, "a barrier every " + every, "MB/s", every == 1 ? "6" : "-", null);
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    for (String system : List.of(Comparison.SALUS, HBASE, HBASE_SYNCED)) {
      lines.put(system, EVERY.stream().map(n -> comparison.median(work(n), system)).toList());
    }
    return Plot.lines(
        "Throughput of sequential writes with barriers (Figure 13), 4 KiB blocks",
        "writes between barriers",
        "MB/s",
        EVERY,
        lines);
  }
}
