package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Clients;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Operation;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.FigureReport.Target;
import org.salus.benchmarks.report.Plot;

/** Figure 10: the throughput of more and more clients together. For one thread. */
public final class Fig10Bench extends FigureBench {
  private static final String HBASE = "HBase";

  /** In this order; what is read is what was written just before. */
  enum Step {
    SEQUENTIAL_WRITE("sequential_write", "sequential write", "0.89", Operation.WRITE, false),
    SEQUENTIAL_READ("sequential_read", "sequential read", "1", Operation.READ, false),
    RANDOM_WRITE("random_write", "random write", "0.81", Operation.WRITE, true),
    RANDOM_READ("random_read", "random read", "1", Operation.READ, true);

    final String file;
    final String label;
    final String paper;
    final Operation operation;
    final boolean random;

    Step(String file, String label, String paper, Operation operation, boolean random) {
      this.file = file;
      this.label = label;
      this.paper = paper;
      this.operation = operation;
      this.random = random;
    }

    Work work(int clients) {
      return new Work(
          file + "_" + clients,
          label + ", " + clients + (clients == 1 ? " client" : " clients"),
          "MB/s",
          "-",
          null);
    }

    /** What the figure shows: as many clients as throughput grows with. */
    Work most() {
      return new Work(
          file, label, "MB/s", paper, operation == Operation.WRITE ? Target.atLeast(1.74) : null);
    }
  }

  /**
   * How much is done: rounds that count, blocks of each client, how often the first round writes
   * and reads them, and numbers of clients, the largest last.
   */
  public record Extent(int repeat, int blocks, int warmUps, List<Integer> clients) {
    public static final Extent FULL = new Extent(5, 64 << 10, 1, List.of(1, 2, 4, 8));
    public static final Extent QUICK = new Extent(3, 4 << 10, 4, List.of(1, 4));
  }

  private final Extent extent;

  /** As {@link FigureBench}. */
  public Fig10Bench(FigureServers on, Extent extent, long seed, Consumer<String> out) {
    super(
        on.cluster(seed, extent.blocks()),
        seed,
        extent.repeat(),
        (extent.repeat() + 1) * Step.values().length * extent.clients().size() * 2,
        out);
    this.extent = extent;
  }

  @Override
  void measure() throws IOException {
    try (Clients salus = clients(() -> cluster.salus(Comparison.SALUS, false));
        Clients hbase =
            clients(
                () -> cluster.hbase(HBASE, FigureCluster.BATCH, FigureCluster.BATCHES, false))) {
      for (int round = 0; round <= extent.repeat(); round++) {
        for (Step step : Step.values()) {
          step(List.of(salus, hbase), step, round);
        }
      }
    }
  }

  /** Opens one client's store. */
  private interface Opening {
    CheckedStore open() throws IOException;
  }

  /** As many as ever work at once. */
  private Clients clients(Opening opening) throws IOException {
    List<CheckedStore> stores = new ArrayList<>();
    while (stores.size() < extent.clients().get(extent.clients().size() - 1)) {
      stores.add(opening.open());
    }
    return new Clients(stores);
  }

  /**
   * @param round 0 warms up
   */
  private void step(List<Clients> systems, Step step, int round) throws IOException {
    Map<String, Double> most = new HashMap<>();
    for (int clients : extent.clients()) {
      IntUnaryOperator order =
          step.random ? Load.shuffled(extent.blocks(), seeds.nextLong()) : Load.inOrder();
      for (Clients system : FigureCluster.inTurn(systems, round)) {
        begin(round, step.work(clients).label() + ", " + system.name());
        double speed = system.everyBlock(clients, step.operation, order);
        for (int again = 1; round == 0 && again < extent.warmUps(); again++) {
          system.everyBlock(clients, step.operation, order);
        }
        if (step.operation == Operation.WRITE) {
          system.settle(clients);
        }
        if (round > 0) {
          comparison.add(step.work(clients), system.name(), speed);
        }
        most.merge(system.name(), speed, Math::max);
      }
    }
    if (round > 0) {
      most.forEach((system, speed) -> comparison.add(step.most(), system, speed));
    }
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : List.of(Comparison.SALUS, HBASE)) {
      bars.put(
          system, Stream.of(Step.values()).map(s -> comparison.median(s.most(), system)).toList());
    }
    return Plot.bars(
        "Throughput of as many clients as it grows with (Figure 10), 4 KiB blocks",
        "MB/s",
        Stream.of(Step.values()).map(s -> s.label).toList(),
        bars);
  }
}
