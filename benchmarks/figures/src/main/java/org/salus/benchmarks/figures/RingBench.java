package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.ClusterSettings;

/**
 * Figure 3 of the ring paper: one to three replicas on machines with slow links. A volume runs
 * beside that algorithm itself. For one thread.
 */
public final class RingBench extends FigureBench {
  private static final String RING = "ring";

  /** The outstanding requests of each kind, for each replica. */
  private static final int OUTSTANDING = 64;

  /** The tolerance for results, because the machine is shared. */
  private static final double TOLERANCE = 0.9;

  private static final Work READS_GROW =
      new Work(
          "reads_grow",
          "reads while writes go on, by 3 replicas",
          "MB/s",
          "3",
          Goal.atLeast(TOLERANCE * NetworkPlacement.SERVERS));
  private static final Work WRITES_STAY =
      new Work(
          "writes_stay",
          "writes while reads go on, by 3 replicas",
          "MB/s",
          "1",
          Goal.atLeast(TOLERANCE));

  /** The load that runs at a time. */
  enum Step {
    READS("reads alone", 1, 0),
    WRITES("writes alone", 0, 1),
    BOTH("reads and writes", 1, 1);

    private final String label;
    private final int reads;
    private final int writes;

    Step(String label, int reads, int writes) {
      this.label = label;
      this.reads = reads;
      this.writes = writes;
    }

    private Work work(Access operation, int replicas) {
      String what = operation == Access.READ ? "reads" : "writes";
      String when = this == BOTH ? "together" : "alone";
      return new Work(
          what + "_" + when + "_" + replicas,
          what + " " + when + ", replicas: " + replicas,
          "MB/s",
          "-",
          null);
    }
  }

  /** The size of a run: rounds that count, blocks of each store, and seconds of each load. */
  public record Scale(int repeat, int blocks, int seconds) {
    public static final Scale FULL = new Scale(5, 64 << 10, 30);
    public static final Scale QUICK = new Scale(2, 8 << 10, 2);
  }

  private final OwnCluster own;
  private final NetworkPlacement machines;
  private final int link;
  private final Scale scale;

  /**
   * See {@link FigureBench}.
   *
   * @param machines the machines of the cluster's servers and of this process
   * @param link megabits a second of each server in each direction
   */
  public RingBench(
      LocalCluster cluster,
      NetworkPlacement machines,
      int link,
      Scale scale,
      long seed,
      Consumer<String> out) {
    this(
        new OwnCluster(
            cluster,
            NetworkPlacement.SERVERS,
            Map.of(ClusterSettings.MIN_MEMBERS.key(), "1"),
            seed,
            scale.blocks()),
        machines,
        link,
        scale,
        seed,
        out);
  }

  private RingBench(
      OwnCluster cluster,
      NetworkPlacement machines,
      int link,
      Scale scale,
      long seed,
      Consumer<String> out) {
    super(
        cluster,
        seed,
        scale.repeat(),
        (scale.repeat() + 1) * NetworkPlacement.SERVERS * Step.values().length * 2,
        out);
    this.own = cluster;
    this.machines = machines;
    this.link = link;
    this.scale = scale;
  }

  /**
   * Measures three replicas first, then fewer. A server that leaves needs no time to catch up, and
   * no copies use the measured links.
   */
  @Override
  void measure() throws IOException {
    CheckedStore salus = cluster.salus(Comparison.SALUS, false, NetworkPlacement.SERVERS);
    fill(salus);
    for (int replicas = NetworkPlacement.SERVERS; replicas > 0; replicas--) {
      if (replicas < NetworkPlacement.SERVERS) {
        out.accept("killing a machine: " + replicas + " left");
        own.kill(replicas);
        salus.store().settle();
      }
      CheckedStore ring = own.ring(RING, machines, replicas);
      fill(ring);
      for (int round = 0; round <= scale.repeat(); round++) {
        for (Step step : Step.values()) {
          long seed = seeds.nextLong();
          for (CheckedStore store : FigureCluster.inTurn(List.of(salus, ring), round)) {
            begin(round, step.label + ", replicas: " + replicas + ", " + store.name());
            measure(store, step, replicas, round, seed);
          }
        }
      }
    }
  }

  private static void fill(CheckedStore store) throws IOException {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    store.store().settle();
  }

  private void measure(CheckedStore store, Step step, int replicas, int round, long seed)
      throws IOException {
    int outstanding = OUTSTANDING * replicas;
    Map<Access, Double> found =
        Load.together(
            store,
            step.reads * outstanding,
            step.writes * outstanding,
            TimeUnit.SECONDS.toNanos(scale.seconds()),
            seed);
    store.store().settle();
    if (round > 0) {
      found.forEach(
          (operation, speed) ->
              comparison.add(step.work(operation, replicas), store.name(), speed));
      if (step == Step.BOTH
          && store.name().equals(Comparison.SALUS)
          && (replicas == NetworkPlacement.SERVERS || replicas == 1)) {
        String system =
            replicas == NetworkPlacement.SERVERS ? Comparison.SALUS : "by " + text(replicas);
        comparison.add(READS_GROW, system, found.get(Access.READ));
        comparison.add(WRITES_STAY, system, found.get(Access.WRITE));
      }
    }
  }

  private static String text(int replicas) {
    return replicas == 1 ? "1 replica" : replicas + " replicas";
  }

  @Override
  List<String> setting() {
    List<String> all = new ArrayList<>(cluster.setting());
    all.add(
        "network: "
            + link
            + " Mbit/s in each direction of each server, ten times that at the client; servers and client share it, as in the paper's last chart");
    all.add(
        "load: "
            + OUTSTANDING
            + " reads and "
            + OUTSTANDING
            + " writes outstanding for each replica, at random");
    return all;
  }

  @Override
  Plot plot() {
    List<Integer> replicas = IntStream.rangeClosed(1, NetworkPlacement.SERVERS).boxed().toList();
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : List.of(Comparison.SALUS, RING)) {
      for (Access operation : Access.values()) {
        bars.put(
            system + (operation == Access.READ ? ", reads" : ", writes"),
            replicas.stream()
                .map(n -> comparison.median(Step.BOTH.work(operation, n), system))
                .toList());
      }
    }
    return Plot.bars(
        "Reads and writes at once, links of " + link + " Mbit/s (ring, Figure 3)",
        "MB/s",
        replicas.stream().map(RingBench::text).toList(),
        bars);
  }
}
