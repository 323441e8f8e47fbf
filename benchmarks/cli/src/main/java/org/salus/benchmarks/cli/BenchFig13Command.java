package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig13Bench;
import org.salus.benchmarks.figures.Fig13Bench.Scale;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.report.BenchResult;
import picocli.CommandLine.Command;

/** {@code salus bench fig13}: the throughput of writes with barriers. */
@Command(
    name = "fig13",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 13, the throughput of writes with barriers, with stock HBase beside it,",
      "on a cluster of its own, every server in a process. Takes about half an hour and up to 40 GB of disk; --quick about four minutes and 10 GB."
    },
    footer = {"", "Example: salus bench fig13 --quick --out results"})
final class BenchFig13Command extends BenchFigureAnywhere {
  @Override
  BenchResult measure(FigureServers on, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig13Bench(on, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress).run();
  }
}
