package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.cluster.PartsSpent;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Clients;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.figures.result.FigureResult;
import org.salus.benchmarks.peers.Pauses;
import org.salus.benchmarks.report.BenchResult;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Median;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;
import org.salus.sim.scale.Costs;
import org.salus.sim.scale.Hardware;
import org.salus.sim.scale.ScaleScenario;
import org.salus.sim.scale.StoreModel;

/**
 * Figure 12: the throughput of each server in larger and larger clusters. The costs of both systems
 * are measured on a real cluster. The model's results for this cluster and a larger one are
 * compared with measurements. Then the model predicts the results of many machines. For one thread.
 */
public final class Fig12Bench {
  private static final int REGIONS = 4;
  private static final int ONE_BY_ONE = 400;

  /** The outstanding blocks of each client at scale: two batches. */
  private static final int OUTSTANDING = 2 * FigureCluster.BATCH;

  private static final int TURNS = 6;

  /**
   * The turns if each volume has a region on every server. Rates then take longer to become steady.
   */
  private static final int TURNS_EVERYWHERE = 12;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final double MEGA = 1e6;

  /**
   * The size of a run.
   *
   * @param repeat rounds that count
   * @param blocks blocks of each client
   * @param here numbers of servers on this machine; costs are measured on the first of these
   *     clusters
   * @param servers numbers of servers to predict for, with volumes of four regions
   * @param everywhere the same, with volumes that have a region on every server
   */
  public record Scale(
      int repeat, int blocks, List<Integer> here, List<Integer> servers, List<Integer> everywhere) {
    public static final Scale FULL =
        new Scale(
            5, 16 << 10, List.of(3, 6), List.of(9, 36, 108, 1000, 10_000), List.of(9, 36, 108));
    public static final Scale QUICK =
        new Scale(3, 4 << 10, List.of(3), List.of(9, 36, 108), List.of(9, 36));
  }

  /** A system: its real servers and its model. */
  private enum Store {
    SALUS(Comparison.SALUS, StoreModel.SALUS, FigureCluster.BATCH * FigureCluster.BATCHES),
    HBASE("HBase", StoreModel.HBASE, FigureCluster.BATCH);

    final String label;
    final StoreModel model;

    /** Outstanding blocks on the real servers. */
    final int outstanding;

    Store(String label, StoreModel model, int outstanding) {
      this.label = label;
      this.model = model;
      this.outstanding = outstanding;
    }

    /**
     * @param few the store that is written one block at a time
     */
    CheckedStore open(FigureCluster on, boolean few) throws IOException {
      return this == SALUS
          ? on.salus(label, false)
          : on.hbase(label, few ? 1 : FigureCluster.BATCH, 1, false);
    }
  }

  private enum Order {
    SEQUENTIAL("sequential_write", "sequential write"),
    RANDOM("random_write", "random write");

    final String file;
    final String label;

    Order(String file, String label) {
      this.file = file;
      this.label = label;
    }

    Work here(int servers) {
      return new Work(
          file + "_here_" + servers,
          label + ", " + servers + " servers on this machine: measured over predicted",
          "x",
          "-",
          null);
    }

    Work predicted(int servers, boolean everywhere) {
      String regions =
          everywhere ? "a region of each volume on every server" : "volumes of four regions";
      return new Work(
          file + (everywhere ? "_everywhere_" : "_") + servers,
          label + ", " + servers + " servers, " + regions + ": predicted",
          "MB/s a server",
          "-",
          null);
    }

    Work kept(int least, int most, boolean everywhere) {
      String regions = everywhere ? ", regions everywhere" : ", four regions";
      return new Work(
          file + (everywhere ? "_everywhere_kept" : "_kept"),
          label + regions + ": what a server does of " + most + " over one of " + least,
          "x",
          everywhere ? "1" : "-",
          Goal.atLeast(0.95));
    }
  }

  private final LocalCluster local;
  private final Scale scale;
  private final long seed;
  private final Consumer<String> out;
  private final Comparison comparison;
  private final Random seeds;
  private final Progress progress;
  private final Hardware here = Hardware.ofCores(Runtime.getRuntime().availableProcessors());
  private final Map<Store, Costs> costs = new EnumMap<>(Store.class);
  private final List<String> setting = new ArrayList<>();

  /** See {@link FigureBench}. */
  public Fig12Bench(LocalCluster cluster, Scale scale, long seed, Consumer<String> out) {
    this.local = cluster;
    this.scale = scale;
    this.seed = seed;
    this.out = out;
    this.comparison = new Comparison(seed);
    this.seeds = new Random(seed);
    this.progress =
        new Progress(
            out,
            (scale.repeat() + 1)
                * Store.values().length
                * (1 + scale.here().size() * Order.values().length));
  }

  /** Starts the clusters, measures, and stops them. */
  public BenchResult run() throws IOException {
    for (int servers : scale.here()) {
      measure(servers);
    }
    predict(scale.servers(), false);
    predict(scale.everywhere(), true);
    return new FigureResult(comparison, plot(), setting);
  }

  // ---- real servers ----

  /** A system's stores on a cluster, and the measurements of them. */
  private static final class Measured implements AutoCloseable {
    final Store store;
    final Clients clients;
    final Map<Order, List<Double>> rates = new EnumMap<>(Order.class);

    /** The store of one client that writes one block at a time. */
    final CheckedStore few;

    final List<PartsSpent> ofMany = new ArrayList<>();
    final List<PartsSpent> ofFew = new ArrayList<>();

    Measured(Store store, FigureCluster on, int count) throws IOException {
      this.store = store;
      List<CheckedStore> stores = new ArrayList<>();
      while (stores.size() < count) {
        stores.add(store.open(on, false));
      }
      this.clients = new Clients(stores);
      this.few = store.open(on, true);
      Stream.of(Order.values()).forEach(order -> rates.put(order, new ArrayList<>()));
    }

    @Override
    public void close() {
      clients.close();
    }
  }

  private boolean isCosting(int servers) {
    return servers == scale.here().get(0);
  }

  /** Measures with as many clients as servers. */
  private void measure(int servers) throws IOException {
    OwnCluster cluster = new OwnCluster(local, servers, seed, scale.blocks());
    cluster.start(out);
    try (cluster;
        Measured salus = new Measured(Store.SALUS, cluster, servers);
        Measured hbase = new Measured(Store.HBASE, cluster, servers)) {
      List<Measured> systems = List.of(salus, hbase);
      PartsSpent idle = PartsSpent.during(cluster, () -> Pauses.pause(IDLE_NANOS));
      for (int round = 0; round <= scale.repeat(); round++) {
        for (Order order : Order.values()) {
          IntUnaryOperator turns =
              order == Order.RANDOM
                  ? Load.shuffled(scale.blocks(), seeds.nextLong())
                  : Load.inOrder();
          for (Measured m : FigureCluster.inTurn(systems, round)) {
            write(cluster, m, order, turns, round, idle);
          }
        }
        if (isCosting(servers)) {
          for (Measured m : FigureCluster.inTurn(systems, round)) {
            writeOneByOne(cluster, m, round, idle);
          }
        }
      }
      if (isCosting(servers)) {
        systems.forEach(this::findCosts);
        setting.addAll(cluster.setting());
      }
      systems.forEach(m -> compare(m, servers));
    }
    local.stop(out);
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void write(
      OwnCluster cluster,
      Measured m,
      Order order,
      IntUnaryOperator turns,
      int round,
      PartsSpent idle)
      throws IOException {
    progress.next(round, scale.repeat(), order.label + ", " + m.store.label);
    double[] rate = new double[1];
    PartsSpent spent =
        PartsSpent.during(
            cluster,
            () -> rate[0] = m.clients.everyBlock(m.clients.size(), Access.WRITE, turns) * MEGA);
    m.clients.settle(m.clients.size());
    if (round > 0) {
      m.rates.get(order).add(rate[0]);
      if (order == Order.SEQUENTIAL) {
        m.ofMany.add(spent.without(idle));
      }
    }
  }

  private void writeOneByOne(OwnCluster cluster, Measured m, int round, PartsSpent idle)
      throws IOException {
    progress.next(round, scale.repeat(), "one block at a time, " + m.store.label);
    PartsSpent spent =
        PartsSpent.during(
            cluster, () -> Load.oneByOne(m.few, Access.WRITE, ONE_BY_ONE, 0, seeds.nextLong()));
    m.few.store().settle();
    if (round > 0) {
      m.ofFew.add(spent.without(idle));
    }
  }

  private void findCosts(Measured m) {
    Costs found =
        m.store.model.costs(
            sample(here(m.store, scale.here().get(0), false), m.ofMany),
            sample(
                new ScaleScenario(
                    scale.here().get(0), 1, REGIONS, 1, 1, ONE_BY_ONE, true, false, here, true),
                m.ofFew));
    costs.put(m.store, found);
    setting.add(
        "microseconds of CPU of "
            + m.store.label
            + ": client "
            + text(found.client())
            + ", region server "
            + text(found.server())
            + ", DataNode "
            + text(found.dataNode()));
  }

  private static StoreModel.Measured sample(ScaleScenario of, List<PartsSpent> rounds) {
    return new StoreModel.Measured(
        of,
        median(of, rounds.stream().map(PartsSpent::client).toList()),
        median(of, rounds.stream().map(PartsSpent::server).toList()),
        median(of, rounds.stream().map(PartsSpent::dataNode).toList()));
  }

  /** For each block. */
  private static double median(ScaleScenario of, List<Double> rounds) {
    return Median.of(rounds.stream().mapToDouble(Double::doubleValue).toArray())
        / ((double) of.clients() * of.blocks());
  }

  private static String text(Costs.Cost cost) {
    return String.format(
        Locale.ROOT, "%.1f a call and %.1f a block", cost.call() / 1e3, cost.block() / 1e3);
  }

  private ScaleScenario here(Store store, int servers, boolean random) {
    return new ScaleScenario(
        servers,
        servers,
        REGIONS,
        Math.min(store.outstanding, FigureCluster.BATCH),
        store.outstanding,
        scale.blocks(),
        random,
        false,
        here,
        true);
  }

  private void compare(Measured m, int servers) {
    m.rates.forEach(
        (order, rates) -> {
          double predicted =
              m.store
                  .model
                  .run(here(m.store, servers, order == Order.RANDOM), costs.get(m.store))
                  .rate();
          rates.forEach(
              rate -> comparison.add(order.here(servers), m.store.label, rate / predicted));
        });
  }

  // ---- many machines ----

  /**
   * @param everywhere whether each volume has a region on every server
   */
  private void predict(List<Integer> all, boolean everywhere) {
    int least = all.get(0);
    int most = all.get(all.size() - 1);
    for (Order order : Order.values()) {
      for (Store store : Store.values()) {
        for (int servers : all) {
          DoubleConsumer done =
              Progress.ofShare(
                  out,
                  "predicting " + order.label + " of " + servers + " servers, " + store.label,
                  System::nanoTime);
          int blocks = OUTSTANDING * (everywhere ? TURNS_EVERYWHERE : TURNS);
          ScaleScenario s =
              new ScaleScenario(
                  servers,
                  servers,
                  everywhere ? servers : REGIONS,
                  FigureCluster.BATCH,
                  OUTSTANDING,
                  blocks,
                  order == Order.RANDOM,
                  true,
                  Hardware.PAPER,
                  false);
          comparison.add(
              order.predicted(servers, everywhere),
              store.label,
              store.model.steadyRate(s, costs.get(store), done) / servers / MEGA);
        }
        comparison.add(
            order.kept(least, most, everywhere),
            store.label,
            comparison.median(order.predicted(most, everywhere), store.label)
                / comparison.median(order.predicted(least, everywhere), store.label));
      }
    }
  }

  private Plot plot() {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    for (Order order : Order.values()) {
      for (Store store : Store.values()) {
        lines.put(
            store.label + ", " + order.label,
            scale.servers().stream()
                .map(n -> comparison.median(order.predicted(n, false), store.label))
                .toList());
      }
    }
    return Plot.lines(
        "Predicted write throughput of each server (Figure 12), 4 KiB blocks",
        "servers, as many as clients",
        "MB/s a server",
        scale.servers(),
        lines);
  }
}
