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
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;

/** Figure 10: the total throughput of more and more clients. For one thread. */
public final class Fig10Bench extends FigureBench {
  private static final String HBASE = "HBase";

  /** The steps in their order. A read reads what was written just before. */
  enum Step {
    SEQUENTIAL_WRITE("sequential_write", "sequential write", "0.89", Access.WRITE, false),
    SEQUENTIAL_READ("sequential_read", "sequential read", "1", Access.READ, false),
    RANDOM_WRITE("random_write", "random write", "0.81", Access.WRITE, true),
    RANDOM_READ("random_read", "random read", "1", Access.READ, true);

    final String file;
    final String label;
    final String paper;
    final Access operation;
    final boolean random;

    Step(String file, String label, String paper, Access operation, boolean random) {
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

    /** The throughput with the number of clients up to which it grows. The figure shows it. */
    Work most() {
      return new Work(
          file, label, "MB/s", paper, operation == Access.WRITE ? Goal.atLeast(1.74) : null);
    }
  }

  /**
   * The size of a run: rounds that count, blocks of each client, passes of the first round, and
   * numbers of clients, the largest last.
   */
  public record Scale(int repeat, int blocks, int warmUps, List<Integer> clients) {
    public static final Scale FULL = new Scale(5, 64 << 10, 1, List.of(1, 2, 4, 8));
    public static final Scale QUICK = new Scale(3, 4 << 10, 4, List.of(1, 4));
  }

  private final Scale scale;

  /** See {@link FigureBench}. */
  public Fig10Bench(FigureServers on, Scale scale, long seed, Consumer<String> out) {
    super(
        on.cluster(seed, scale.blocks()),
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * Step.values().length * scale.clients().size() * 2,
        out);
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    try (Clients salus = clients(() -> cluster.salus(Comparison.SALUS, false));
        Clients hbase =
            clients(
                () -> cluster.hbase(HBASE, FigureCluster.BATCH, FigureCluster.BATCHES, false))) {
      for (int round = 0; round <= scale.repeat(); round++) {
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

  /** Makes the largest number of clients that work at once. */
  private Clients clients(Opening opening) throws IOException {
    List<CheckedStore> stores = new ArrayList<>();
    while (stores.size() < scale.clients().get(scale.clients().size() - 1)) {
      stores.add(opening.open());
    }
    return new Clients(stores);
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void step(List<Clients> systems, Step step, int round) throws IOException {
    Map<String, Double> most = new HashMap<>();
    for (int clients : scale.clients()) {
      IntUnaryOperator order =
          step.random ? Load.shuffled(scale.blocks(), seeds.nextLong()) : Load.inOrder();
      for (Clients system : FigureCluster.inTurn(systems, round)) {
        begin(round, step.work(clients).label() + ", " + system.name());
        double speed = system.everyBlock(clients, step.operation, order);
        for (int again = 1; round == 0 && again < scale.warmUps(); again++) {
          system.everyBlock(clients, step.operation, order);
        }
        if (step.operation == Access.WRITE) {
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
