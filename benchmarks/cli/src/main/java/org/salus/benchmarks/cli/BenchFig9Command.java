package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig9Bench;
import org.salus.benchmarks.figures.Fig9Bench.Scale;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.report.BenchResult;
import picocli.CommandLine.Command;

/** {@code salus bench fig9}: the latency of one client. */
@Command(
    name = "fig9",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 9, the latency of one client, with stock HBase beside it,",
      "on a cluster of its own, every server in a process. Takes about twelve minutes and 15 GB of disk; --quick about three minutes and 5 GB."
    },
    footer = {"", "Example: salus bench fig9 --quick --out results"})
final class BenchFig9Command extends BenchFigureAnywhere {
  @Override
  BenchResult measure(FigureServers on, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig9Bench(on, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress).run();
  }
}
