package org.salus.benchmarks.figures;

import java.io.IOException;
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
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.load.Load.Mixed;
import org.salus.benchmarks.figures.load.Percentile;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.benchmarks.peers.primarybackup.PrimaryBackupBlocks.Primaries;
import org.salus.benchmarks.peers.ratis.RatisBlocks;
import org.salus.benchmarks.peers.ratis.RatisServers;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;

/**
 * Figures 3 to 7 of the Gaios paper: a volume beside a replicated state machine and primary-backup.
 * All writes go to disk. For one thread.
 */
public final class GaiosBench extends FigureBench {
  private static final double MILLIS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final String RSM = RatisBlocks.NAME;
  private static final String PB1 = Primaries.ONE.label();
  private static final String PBN = Primaries.EVERY_SERVER.label();

  /** A volume of one chain of three, as the state machine is one group. */
  private static final String ONE_REGION = "Salus, one region";

  private static final List<String> SYSTEMS = List.of(Comparison.SALUS, ONE_REGION, RSM, PB1, PBN);

  /**
   * The systems whose writes are measured. PB1 writes as the state machine does, so it is left out.
   */
  private static final List<String> WRITERS = List.of(Comparison.SALUS, ONE_REGION, RSM, PBN);

  private static final List<String> SURVIVORS = List.of(Comparison.SALUS, RSM);

  /** The share of reads in the mix, as in the paper's transactions. */
  private static final double MIXED_READS = 0.51;

  private static final int OUTSTANDING = 35;
  private static final int OUTSTANDING_WRITES = 200;

  /** The host that is killed. It runs neither the master nor ZooKeeper. */
  private static final int KILLED_HOST = RatisServers.FOLLOWER;

  /** The kinds of random load, in their order. */
  enum Step {
    WRITE(
        new Work(
            "random_write",
            "random write, " + OUTSTANDING_WRITES + " outstanding (Fig. 4)",
            "kIO/s",
            "-",
            null),
        0,
        OUTSTANDING_WRITES,
        WRITERS),
    READ(
        new Work(
            "random_read",
            "random read, " + OUTSTANDING + " outstanding (Fig. 3)",
            "kIO/s",
            "-",
            null),
        1,
        OUTSTANDING,
        SYSTEMS),
    MIXED(
        new Work(
            "mixed",
            "51 % reads, 49 % writes (Fig. 7)",
            "kIO/s",
            "1.12 of PBN, 1.68 of PB1",
            Goal.atLeast(1.5)),
        MIXED_READS,
        OUTSTANDING,
        SYSTEMS),
    KILLED(
        new Work("killed", "the same, a replica killed half way", "kIO/s", "-", Goal.atLeast(1.5)),
        MIXED_READS,
        OUTSTANDING,
        SURVIVORS);

    final Work work;
    final double reads;
    final int outstanding;
    final List<String> systems;

    Step(Work work, double reads, int outstanding, List<String> systems) {
      this.work = work;
      this.reads = reads;
      this.outstanding = outstanding;
      this.systems = systems;
    }
  }

  /** The loads that warm up. They kill nothing. */
  private static final List<Step> WARM_UP = List.of(Step.WRITE, Step.READ, Step.MIXED);

  private static final Work KILLED_LONGEST =
      new Work("killed_longest", "longest request of these", "ms", "1960 after 1500", null);
  private static final Work READ_LATENCY =
      new Work("read_latency", "one read at a time: p50 (Fig. 6)", "ms", "-", null);
  private static final Work WRITE_LATENCY =
      new Work("write_latency", "one write at a time: p50 (Fig. 6)", "ms", "-", null);
  private static final Work SEQUENTIAL_WRITE =
      new Work("sequential_write", "sequential write (Fig. 5)", "MB/s", "-", null);
  private static final Work SEQUENTIAL_READ =
      new Work("sequential_read", "sequential read (Fig. 5)", "MB/s", "-", null);
  private static final int STEPS =
      Stream.of(Step.values()).mapToInt(s -> s.systems.size()).sum()
          + 2 * WRITERS.size()
          + 2 * SYSTEMS.size();

  /**
   * The size of a run: rounds that count, blocks of each store, seconds of each random load, and
   * number of single requests.
   */
  public record Scale(int repeat, int blocks, int seconds, int requests) {
    public static final Scale FULL = new Scale(5, 128 << 10, 60, 1000);
    public static final Scale QUICK = new Scale(2, 4 << 10, 2, 100);
  }

  private final OwnCluster own;
  private final Scale scale;
  private final Map<String, CheckedStore> stores = new LinkedHashMap<>();
  private PeerServers ratis;

  /** See {@link FigureBench}. */
  public GaiosBench(LocalCluster cluster, Scale scale, long seed, Consumer<String> out) {
    this(new OwnCluster(cluster, NetworkPlacement.SERVERS, seed, scale.blocks()), scale, seed, out);
  }

  private GaiosBench(OwnCluster cluster, Scale scale, long seed, Consumer<String> out) {
    super(cluster, seed, scale.repeat(), (scale.repeat() + 1) * STEPS + 1, out);
    this.own = cluster;
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    out.accept("starting three servers of Ratis");
    ratis = own.ratis();
    stores.put(Comparison.SALUS, cluster.salus(Comparison.SALUS, true, NetworkPlacement.SERVERS));
    stores.put(ONE_REGION, cluster.salus(ONE_REGION, true, 1));
    stores.put(RSM, own.ratis(ratis));
    for (Primaries primaries : Primaries.values()) {
      stores.put(primaries.label(), own.primaryBackup(ratis, primaries));
    }
    for (int round = 0; round <= scale.repeat(); round++) {
      sequential(
          SEQUENTIAL_WRITE,
          round == 0 ? SYSTEMS : WRITERS,
          Access.WRITE,
          round); // now all systems have something to be read
      sequential(SEQUENTIAL_READ, SYSTEMS, Access.READ, round);
      for (Step step : round == 0 ? WARM_UP : List.of(Step.values())) {
        step(step, round);
      }
      latency(READ_LATENCY, SYSTEMS, Access.READ, round);
      latency(WRITE_LATENCY, WRITERS, Access.WRITE, round);
    }
  }

  private List<CheckedStore> inTurn(List<String> systems, int round) {
    return FigureCluster.inTurn(systems.stream().map(stores::get).toList(), round);
  }

  private void sequential(Work work, List<String> systems, Access operation, int round)
      throws IOException {
    for (CheckedStore store : inTurn(systems, round)) {
      begin(round, work.label() + ", " + store.name());
      double speed = Load.everyBlock(store, operation, Load.inOrder());
      if (operation == Access.WRITE) {
        store.store().settle();
      }
      add(round, work, store, speed);
    }
  }

  private void latency(Work work, List<String> systems, Access operation, int round)
      throws IOException {
    long seed = seeds.nextLong();
    for (CheckedStore store : inTurn(systems, round)) {
      begin(round, work.label() + ", " + store.name());
      add(
          round,
          work,
          store,
          Percentile.of(
                  Load.oneByOne(
                      store, operation, scale.requests(), TimeUnit.MILLISECONDS.toNanos(1), seed),
                  50)
              / MILLIS);
    }
  }

  private void step(Step step, int round) throws IOException {
    long seed = seeds.nextLong();
    for (CheckedStore store : inTurn(step.systems, round)) {
      begin(round, step.work.label() + ", " + store.name());
      Mixed found =
          Load.mixed(
              store,
              step.reads,
              step.outstanding,
              TimeUnit.SECONDS.toNanos(scale.seconds()),
              seed,
              () -> halfway(step, store));
      add(round, step.work, store, found.perSecond() / 1e3);
      if (step == Step.KILLED) {
        add(round, KILLED_LONGEST, store, found.longestNanos() / MILLIS);
        startAgain(store);
      }
      store.store().settle();
    }
  }

  private void halfway(Step step, CheckedStore store) throws IOException {
    if (step == Step.KILLED) {
      if (store.name().equals(Comparison.SALUS)) {
        own.kill(KILLED_HOST);
      } else {
        ratis.kill(RatisServers.FOLLOWER);
      }
    }
  }

  private void startAgain(CheckedStore store) throws IOException {
    if (store.name().equals(Comparison.SALUS)) {
      own.startAgain();
    } else {
      ratis.restart(RatisServers.FOLLOWER);
    }
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  private void add(int round, Work work, CheckedStore store, double value) {
    if (round > 0) {
      comparison.add(work, store.name(), value);
    }
  }

  @Override
  Plot plot() {
    Map<String, List<Double>> bars = new LinkedHashMap<>();
    for (String system : SYSTEMS) {
      bars.put(
          system,
          Stream.of(Step.values())
              .map(s -> comparison.median(s.work, system))
              .map(m -> m.isNaN() ? null : m)
              .toList());
    }
    return Plot.bars(
        "Requests of 4 KiB at random, all writes on disk (Gaios, Figures 3, 4 and 7)",
        "kIO/s",
        List.of("writes", "reads", "mixed", "mixed, a replica killed"),
        bars);
  }
}
