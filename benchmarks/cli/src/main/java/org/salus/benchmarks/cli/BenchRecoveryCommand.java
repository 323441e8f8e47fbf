package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.recovery.RecoveryBench;
import org.salus.benchmarks.figures.recovery.RecoveryBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench recovery}: servers are killed under a load of writes. */
@Command(
    name = "recovery",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how long writes stand still when servers are killed: on a cluster of its own, every server in a process,",
      "under 4 KiB random writes. Takes about half an hour and 40 GB of disk; --quick about ten minutes and 5 GB."
    },
    footer = {"", "Example: salus bench recovery --quick"})
final class BenchRecoveryCommand extends BenchOnCluster {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new RecoveryBench(cluster, quick ? Scale.QUICK : Scale.FULL, progress).run();
  }
}
