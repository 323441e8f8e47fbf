package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.RingBench;
import org.salus.benchmarks.figures.RingBench.Scale;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code salus bench ring}: what more replicas are good for, and what they cost. */
@Command(
    name = "ring",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Repeats Figure 3 of the ring paper: reads and writes, alone and at once, with one to three replicas on machines with slow links,",
      "a Salus volume beside that paper's algorithm. Each machine is a network namespace of this computer, which needs root and iproute2.",
      "Takes about an hour and 10 GB of disk; --quick about four minutes."
    },
    footer = {"", "Example: sudo salus bench ring --quick --out results"})
final class BenchRingCommand extends BenchOnNetwork {
  /**
   * The factor by which the client's and the shared bandwidth exceed that of a server's link, so
   * that they never limit.
   */
  private static final int AMPLE = 10;

  @Option(
      names = "--link",
      paramLabel = "MBIT",
      defaultValue = "100",
      description =
          "Megabits a second of each server in each direction (default: ${DEFAULT-VALUE}, as in the paper).")
  private int link;

  @Override
  Map<String, LinkedMachine> all() {
    return NetworkPlacement.all(link, AMPLE * link);
  }

  @Override
  int shared() {
    return AMPLE * link;
  }

  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new RingBench(
            cluster, machines(), link, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress)
        .run();
  }
}
