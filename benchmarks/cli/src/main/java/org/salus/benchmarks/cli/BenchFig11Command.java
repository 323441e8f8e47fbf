package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.Fig11Bench;
import org.salus.benchmarks.figures.Fig11Bench.Scale;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code salus bench fig11}: writes over a network that limits them. */
@Command(
    name = "fig11",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats the paper's Figure 11, sequential writes to three servers whose network is the limit, with stock HBase beside Salus,",
      "and counts the bytes that go over it. Each machine is a network namespace of this computer, which needs root and iproute2.",
      "Takes about an hour and up to 30 GB of disk; --quick about four minutes and 10 GB."
    },
    footer = {"", "Example: sudo salus bench fig11 --quick --out results"})
final class BenchFig11Command extends BenchOnNetwork {
  @Option(
      names = "--shared",
      paramLabel = "MBIT",
      defaultValue = "240",
      description =
          "Megabits a second of all machines together (default: ${DEFAULT-VALUE}; the paper's 1200 are more than a small machine fills).")
  private int shared;

  @Option(
      names = "--link",
      paramLabel = "MBIT",
      defaultValue = "400",
      description =
          "Megabits a second of each machine in each direction (default: ${DEFAULT-VALUE}; the paper's: 2000).")
  private int link;

  @Override
  Map<String, LinkedMachine> all() {
    return NetworkPlacement.all(link, link);
  }

  @Override
  int shared() {
    return shared;
  }

  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new Fig11Bench(
            cluster,
            machines(),
            link,
            shared,
            quick ? Scale.QUICK : Scale.FULL,
            seed(progress),
            progress)
        .run();
  }
}
