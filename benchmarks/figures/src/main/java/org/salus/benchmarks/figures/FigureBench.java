package org.salus.benchmarks.figures;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.cluster.FigureCluster;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.result.FigureResult;
import org.salus.benchmarks.report.BenchResult;
import org.salus.benchmarks.report.Plot;

/**
 * A figure of a paper, measured on a cluster in rounds. The first round warms up. For one thread.
 */
abstract class FigureBench {
  final FigureCluster cluster;
  final Comparison comparison;

  /** The source of the seeds for the order of requests. */
  final Random seeds;

  final Consumer<String> out;
  private final Progress progress;
  private final int rounds;

  /**
   * @param seed the seed of contents and orders
   * @param rounds number of rounds that count
   * @param steps number of steps of all rounds together, about equally long
   * @param out learns in a few words what is being done
   */
  FigureBench(FigureCluster cluster, long seed, int rounds, int steps, Consumer<String> out) {
    this.cluster = cluster;
    this.comparison = new Comparison(seed);
    this.seeds = new Random(seed);
    this.rounds = rounds;
    this.progress = new Progress(out, steps);
    this.out = out;
  }

  /** Starts the cluster and measures. The cluster is left running. */
  public final BenchResult run() throws IOException {
    cluster.start(out);
    try (cluster) {
      measure();
      return new FigureResult(comparison, plot(), setting());
    }
  }

  /** Opens stores and compares them. */
  abstract void measure() throws IOException;

  abstract Plot plot();

  /** Lines about the servers and the work, for the report. */
  List<String> setting() {
    return cluster.setting();
  }

  /**
   * @param round the number of the round; 0 warms up
   */
  final void begin(int round, String what) {
    progress.next(round, rounds, what);
  }
}
