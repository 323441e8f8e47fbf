package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.recovery.ScrubBench;
import org.salus.benchmarks.figures.recovery.ScrubBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench scrub}: what it takes to check replicas. */
@Command(
    name = "scrub",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how fast region servers check the replicas on their DataNodes, and what that costs random 4 KiB writes,",
      "on a cluster of its own. Takes about an hour and 20 GB of disk; --quick about sixteen minutes and 5 GB."
    },
    footer = {"", "Example: salus bench scrub --quick"})
final class BenchScrubCommand extends BenchOnCluster {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new ScrubBench(cluster, quick ? Scale.QUICK : Scale.FULL, progress).run();
  }
}
