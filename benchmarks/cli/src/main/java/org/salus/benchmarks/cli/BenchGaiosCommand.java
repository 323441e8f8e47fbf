package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.GaiosBench;
import org.salus.benchmarks.figures.GaiosBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench gaios}: a volume beside a replicated state machine and primary-backup. */
@Command(
    name = "gaios",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats Figures 3 to 7 of the Gaios paper: a Salus volume beside a block store on Apache Ratis, a replicated state machine whose reads go",
      "to any replica, and primary-backup whose reads go to one primary (PB1) or to several (PBN). All writes are on disk before they are answered.",
      "Takes about three hours and 40 GB of disk; --quick about seven minutes and 10 GB."
    },
    footer = {"", "Example: salus bench gaios --quick --out results"})
final class BenchGaiosCommand extends BenchFigure {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new GaiosBench(cluster, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress)
        .run();
  }
}
