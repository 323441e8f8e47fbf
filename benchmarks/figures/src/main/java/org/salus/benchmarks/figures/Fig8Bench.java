package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.figures.watch.Spent;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;

/** Figure 8: the throughput of one client. For one thread. */
public final class Fig8Bench extends FigureBench {

  /** The steps in their order. A read reads what was written just before. */
  enum Step {
    SEQUENTIAL_WRITE(
        new Work("sequential_write", "sequential write", "MB/s", "0.77 to 0.97", Goal.atLeast(2)),
        Access.WRITE,
        false),
    SEQUENTIAL_READ(
        new Work("sequential_read", "sequential read", "MB/s", "2.5", Goal.atLeast(3)),
        Access.READ,
        false),
    RANDOM_WRITE(
        new Work("random_write", "random write", "MB/s", "0.77 to 0.97", Goal.atLeast(2)),
        Access.WRITE,
        true),
    RANDOM_READ(
        new Work("random_read", "random read", "MB/s", "about 1", Goal.atLeast(2)),
        Access.READ,
        true);

    final Work work;
    final Access operation;
    final boolean random;

    Step(Work work, Access operation, boolean random) {
      this.work = work;
      this.operation = operation;
      this.random = random;
    }

    private Work cost(String name, String label, String unit) {
      return new Work(work.name() + "_" + name, work.label() + ": " + label, unit, "-", null);
    }
  }

  /** The size of a run: rounds that count, blocks of each store, and passes of the first round. */
  public record Scale(int repeat, int blocks, int warmUps) {
    public static final Scale FULL = new Scale(5, 256 << 10, 1);

    /**
     * A short run. Its first round makes 12 passes, because fresh servers would mostly compile
     * their code.
     */
    public static final Scale QUICK = new Scale(3, 16 << 10, 12);
  }

  private final Scale scale;

  /** See {@link FigureBench}. */
  public Fig8Bench(FigureServers on, Scale scale, long seed, Consumer<String> out) {
    super(
        on.cluster(seed, scale.blocks()),
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * Step.values().length * 3,
        out);
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    List<CheckedStore> stores = cluster.salusAndHBase();
    for (int round = 0; round <= scale.repeat(); round++) {
      for (Step step : Step.values()) {
        step(stores, step, round);
      }
    }
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void step(List<CheckedStore> stores, Step step, int round) throws IOException {
    IntUnaryOperator order =
        step.random ? Load.shuffled(scale.blocks(), seeds.nextLong()) : Load.inOrder();
    for (CheckedStore store : FigureCluster.inTurn(stores, round)) {
      begin(round, step.work.label() + ", " + store.name());
      Optional<Spent> before = cluster.spent();
      double speed = Load.everyBlock(store, step.operation, order);
      for (int again = 1; round == 0 && again < scale.warmUps(); again++) {
        Load.everyBlock(store, step.operation, order);
      }
      if (step.operation == Access.WRITE) {
        store.store().settle();
      }
      Optional<Spent> after = cluster.spent();
      if (round > 0) {
        comparison.add(step.work, store.name(), speed);
        before.ifPresent(b -> addCosts(step, store.name(), after.orElseThrow().since(b)));
      }
    }
  }

  /**
   * Adds the cost of what is written until it is in files and compacted, which is all that is ever
   * spent on it.
   */
  private void addCosts(Step step, String system, Spent spent) {
    double bytes = (double) scale.blocks() * BlockStoreUnderTest.BLOCK;
    comparison.add(
        step.cost("cpu", "CPU of all processes", "us/block"),
        system,
        spent.cpuNanos() / 1e3 / scale.blocks());
    comparison.add(
        step.cost("wire", "bytes over the network", "per byte"), system, spent.wireBytes() / bytes);
    if (step.operation == Access.WRITE) {
      comparison.add(
          step.cost("disk", "bytes to disks", "per byte"), system, spent.diskBytes() / bytes);
    }
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : FigureCluster.SALUS_AND_HBASE) {
      bars.put(
          system, Stream.of(Step.values()).map(s -> comparison.median(s.work, system)).toList());
    }
    return Plot.bars(
        "Throughput of one client (Figure 8), 4 KiB blocks",
        "MB/s",
        Stream.of(Step.values()).map(s -> s.work.label()).toList(),
        bars);
  }
}
