package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig12Bench;
import org.salus.benchmarks.figures.Fig12Bench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench fig12}: the throughput of each server in larger and larger clusters. */
@Command(
    name = "fig12",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 12, the write throughput of each server of 9 to 10,000, in the simulator: Salus' own core and a",
      "model of HBase, with the processor time that both take on clusters of three and six servers here, which it starts, one after the other,",
      "and whose throughput it compares with what the simulator says of them. Takes an hour, up to 20 GB of disk and 16 GB of heap",
      "(SALUS_HEAP=16g); --quick, up to 108 servers, about three minutes and 10 GB of disk."
    },
    footer = {"", "Example: salus bench fig12 --quick --out results"})
final class BenchFig12Command extends BenchFigure {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig12Bench(cluster, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress)
        .run();
  }
}
