package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.cluster.OwnCluster;
import org.salus.benchmarks.figures.cluster.SalusBlocks;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Load;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.figures.watch.CheckpointWatch;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.ClusterSettings;

/**
 * Whether random overwrites keep their initial speed while segments are flushed and checkpoints
 * merged. For one thread.
 */
public final class EnduranceBench extends FigureBench {
  private static final int OUTSTANDING = 1000;
  private static final long SEGMENT = 16 << 20;

  /** The divisor of all windows that gives the windows of the beginning, and of the end. */
  private static final int PARTS = 6;

  private static final String FIRST = "first sixth";
  private static final String FILLED = "segments filled";

  private static final Work WINDOW = new Work("window", "random overwrites", "IO/s", "-", null);
  private static final Work LONGEST =
      new Work("window_longest", "longest request", "ms", "-", null);
  private static final Work LAST =
      new Work("last_sixth", "random overwrites, last sixth", "IO/s", "-", Goal.atLeast(0.85));
  private static final Work LAST_LONGEST =
      new Work("last_sixth_longest", "longest request of a window, last sixth", "ms", "-", null);
  private static final Work BUILT =
      new Work("built", "checkpoints that were seen to be added", "in all regions", "-", null);
  private static final Work MERGED =
      new Work("merged", "merges that were seen", "in all regions", "-", null);

  /**
   * The size of a run: blocks of the volume, number of windows, seconds of each, and number of
   * windows that warm up.
   */
  public record Scale(int blocks, int windows, int seconds, int warmUps) {
    public static final Scale FULL = new Scale(256 << 10, 60, 60, 3);
    public static final Scale QUICK = new Scale(32 << 10, 18, 10, 2);
  }

  private final Scale scale;
  private final OwnCluster own;
  private final List<Double> windows = new ArrayList<>();

  /** See {@link FigureBench}. */
  public EnduranceBench(LocalCluster cluster, Scale scale, long seed, Consumer<String> out) {
    this(new OwnCluster(cluster, OwnCluster.SERVERS, seed, scale.blocks()), scale, seed, out);
  }

  private EnduranceBench(OwnCluster cluster, Scale scale, long seed, Consumer<String> out) {
    super(cluster, seed, scale.windows(), scale.windows() + scale.warmUps(), out);
    this.own = cluster;
    this.scale = scale;
  }

  @Override
  void measure() throws IOException {
    Map<String, String> settings = new HashMap<>(cluster.client());
    settings.put(ClusterSettings.SEGMENT.key(), Long.toString(SEGMENT));
    SalusBlocks.Shape shape = new SalusBlocks.Shape(FigureCluster.REGIONS, OUTSTANDING, false);
    SalusBlocks volume =
        new SalusBlocks(Comparison.SALUS, "endurance", shape, own::members, settings);
    CheckedStore store = cluster.open(volume);
    out.accept("writing " + scale.blocks() + " blocks that will be overwritten");
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    for (int i = 0; i < scale.warmUps(); i++) {
      window(store, 0);
    }
    try (CheckpointWatch watch = new CheckpointWatch(volume::checkpoints).start()) {
      double blocks = 0;
      for (int i = 1; i <= scale.windows(); i++) {
        blocks += window(store, i);
      }
      double filled = blocks * BlockStoreUnderTest.BLOCK / SEGMENT;
      add(BUILT, watch.added(), FILLED, filled);
      add(MERGED, watch.merged(), FILLED, filled);
    }
    out.accept("reading everything, to compare it");
    Load.everyBlock(store, Access.READ, Load.inOrder());
  }

  /** Overwrites for one window. Returns about how many blocks were written. */
  private double window(CheckedStore store, int number) throws IOException {
    begin(number, "random overwrites for " + scale.seconds() + " s");
    Load.Mixed found =
        Load.mixed(
            store,
            0,
            OUTSTANDING,
            TimeUnit.SECONDS.toNanos(scale.seconds()),
            seeds.nextLong(),
            () -> {});
    if (number > 0) {
      int part = scale.windows() / PARTS;
      double longest = found.longestNanos() / 1e6;
      windows.add(found.perSecond());
      comparison.add(WINDOW, Comparison.SALUS, found.perSecond());
      comparison.add(LONGEST, Comparison.SALUS, longest);
      if (number <= part || number > scale.windows() - part) {
        String system = number <= part ? FIRST : Comparison.SALUS;
        comparison.add(LAST, system, found.perSecond());
        comparison.add(LAST_LONGEST, system, longest);
      }
    }
    return found.perSecond() * scale.seconds();
  }

  private void add(Work work, double value, String peer, double others) {
    comparison.add(work, Comparison.SALUS, value);
    comparison.add(work, peer, others);
  }

  @Override
  List<String> setting() {
    List<String> all = new ArrayList<>(cluster.setting());
    all.add(
        "load: one volume, whose log segments have "
            + (SEGMENT >> 20)
            + " MiB instead, "
            + OUTSTANDING
            + " random writes outstanding; "
            + scale.windows()
            + " windows of "
            + scale.seconds()
            + " s");
    return all;
  }

  @Override
  Plot plot() {
    List<Integer> seconds =
        IntStream.rangeClosed(1, windows.size()).mapToObj(i -> i * scale.seconds()).toList();
    return Plot.overTime(
        "Random overwrites of one volume, 4 KiB blocks",
        "seconds",
        "IO/s",
        seconds,
        Map.of(Comparison.SALUS, windows));
  }
}
