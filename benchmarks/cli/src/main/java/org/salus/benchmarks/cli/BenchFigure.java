package org.salus.benchmarks.cli;

import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.salus.dist.hbase.LocalCluster;
import org.salus.dist.hbase.Placement;
import picocli.CommandLine.Option;

/** A figure of the paper, Salus beside others on a cluster of processes. */
abstract class BenchFigure extends BenchOnCluster {
  /** The heap of a region server, as in the paper. HBase's own caches take most of it. */
  private static final String REGION_SERVER_HEAP = "2g";

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of what is written and in which order (default: random, and printed).")
  private Long seed;

  @Override
  final LocalCluster cluster(Path dir) {
    return new LocalCluster(dir, regionServerHeap(), placement());
  }

  /** The heap of a region server, in the form of {@code -Xmx}. */
  String regionServerHeap() {
    return REGION_SERVER_HEAP;
  }

  /** The placement of the cluster's servers. */
  Placement placement() {
    return Placement.HERE;
  }

  /** Chooses the seed and reports it, so that it can be used again. */
  final long seed(Consumer<String> progress) {
    long chosen = seed != null ? seed : ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
    progress.accept("seed " + chosen);
    return chosen;
  }
}
