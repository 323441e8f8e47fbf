package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig10Bench;
import org.salus.benchmarks.figures.Fig10Bench.Scale;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.report.BenchResult;
import picocli.CommandLine.Command;

/** {@code salus bench fig10}: the throughput of many clients. */
@Command(
    name = "fig10",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 10, the throughput of more and more clients, with stock HBase beside it,",
      "on a cluster of its own, every server in a process. Takes about forty minutes and up to 100 GB of disk; --quick about three minutes and 10 GB."
    },
    footer = {"", "Example: salus bench fig10 --quick --out results"})
final class BenchFig10Command extends BenchFigureAnywhere {
  @Override
  BenchResult measure(FigureServers on, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig10Bench(on, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress).run();
  }
}
