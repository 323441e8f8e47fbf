package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.SmallBench;
import org.salus.benchmarks.figures.SmallBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench small}: writes to parts of blocks, and very many requests at once. */
@Command(
    name = "small",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures writes to parts of blocks beside writes of whole blocks, and 100,000 requests at once beside 512 at a time,",
      "on a cluster of its own. Takes about ten minutes and 20 GB of disk; --quick about four minutes and 10 GB."
    },
    footer = {"", "Example: salus bench small --quick"})
final class BenchSmallCommand extends BenchFigure {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new SmallBench(cluster, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress)
        .run();
  }
}
