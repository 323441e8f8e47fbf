package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig8Bench;
import org.salus.benchmarks.figures.Fig8Bench.Scale;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.report.BenchResult;
import picocli.CommandLine.Command;

/** {@code salus bench fig8}: the throughput of one client. */
@Command(
    name = "fig8",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 8, the throughput of one client, with stock HBase beside it,",
      "on a cluster of its own, every server in a process. Takes about half an hour and up to 60 GB of disk; --quick about five minutes and 10 GB."
    },
    footer = {"", "Example: salus bench fig8 --quick --out results"})
final class BenchFig8Command extends BenchFigureAnywhere {
  @Override
  BenchResult measure(FigureServers on, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig8Bench(on, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress).run();
  }
}
