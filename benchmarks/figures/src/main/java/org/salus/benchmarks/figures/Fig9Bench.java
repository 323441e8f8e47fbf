package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.load.Percentile;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;

/** Figure 9: the latency of single requests to an otherwise idle cluster. For one thread. */
public final class Fig9Bench extends FigureBench {
  private static final String HBASE = "HBase";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final int TARGET_PERCENT = 90;
  private static final List<Integer> PERCENTS = List.of(50, TARGET_PERCENT, 99);

  /** The steps in their order. */
  enum Step {
    READ("read", "random read", Access.READ, false, 0.5),
    WRITE("write", "random write", Access.WRITE, false, 0.7),
    SYNCED_WRITE("synced_write", "random write, synced", Access.WRITE, true, 0.7);

    final String file;
    final String label;
    final Access operation;
    final boolean synced;
    private final double target;

    Step(String file, String label, Access operation, boolean synced, double target) {
      this.file = file;
      this.label = label;
      this.operation = operation;
      this.synced = synced;
      this.target = target;
    }

    /** A percentile of the latency. The figure shows the 90th, and the target is about it. */
    Work work(int percent) {
      boolean shown = percent == TARGET_PERCENT;
      return new Work(
          file + "_p" + percent,
          label + ": p" + percent,
          "ms",
          shown ? "2 to 3 ms more" : "-",
          shown ? Goal.atMost(target) : null);
    }
  }

  /**
   * The size of a run.
   *
   * @param repeat the rounds that count
   * @param blocks the blocks of each store
   * @param warmUps the requests of each kind that warm up, without pauses. Otherwise servers would
   *     compile their code during the measurement.
   * @param requests the requests of each kind in a round
   */
  public record Scale(int repeat, int blocks, int warmUps, int requests) {
    public static final Scale FULL = new Scale(5, 256 << 10, 2000, 1000);
    public static final Scale QUICK = new Scale(3, 8 << 10, 500, 100);
  }

  private final Scale scale;

  /** See {@link FigureBench}. */
  public Fig9Bench(FigureServers on, Scale scale, long seed, Consumer<String> out) {
    super(
        on.cluster(seed, scale.blocks()),
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * Step.values().length * 2,
        out);
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    List<CheckedStore> plain =
        List.of(cluster.salus(Comparison.SALUS, false), cluster.hbase(HBASE, 1, 1, false));
    List<CheckedStore> synced =
        List.of(cluster.salus(Comparison.SALUS, true), cluster.hbase(HBASE, 1, 1, true));
    for (CheckedStore store : plain) {
      out.accept("writing " + store.blocks() + " blocks that will be read, " + store.name());
      Load.everyBlock(store, Access.WRITE, Load.inOrder());
      store.store().settle();
    }
    for (int round = 0; round <= scale.repeat(); round++) {
      for (Step step : Step.values()) {
        step(step.synced ? synced : plain, step, round);
      }
    }
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void step(List<CheckedStore> stores, Step step, int round) throws IOException {
    long seed = seeds.nextLong();
    for (CheckedStore store : FigureCluster.inTurn(stores, round)) {
      begin(round, step.label + ", " + store.name());
      if (round == 0) {
        Load.oneByOne(store, step.operation, scale.warmUps(), 0, seed);
      } else {
        long[] took = Load.oneByOne(store, step.operation, scale.requests(), PAUSE_NANOS, seed);
        PERCENTS.forEach(
            p -> comparison.add(step.work(p), store.name(), Percentile.of(took, p) / 1e6));
      }
    }
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : List.of(Comparison.SALUS, HBASE)) {
      bars.put(
          system,
          Stream.of(Step.values())
              .map(s -> comparison.median(s.work(TARGET_PERCENT), system))
              .toList());
    }
    return Plot.bars(
        "90th percentile of the latency of one client (Figure 9), 4 KiB blocks",
        "ms",
        Stream.of(Step.values()).map(s -> s.label).toList(),
        bars);
  }
}
