package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.EnduranceBench;
import org.salus.benchmarks.figures.EnduranceBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;

/** {@code salus bench endurance}: whether a volume stays as fast as it begins. */
@Command(
    name = "endurance",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Overwrites a volume at random for an hour, many times over, while segments are flushed and checkpoints merged, and compares the last",
      "sixth with the first, on a cluster of its own. At the end everything is read and compared. Takes over an hour and 20 GB of disk;",
      "--quick about five minutes, three of them measured, and 10 GB."
    },
    footer = {"", "Example: salus bench endurance --quick --out results"})
final class BenchEnduranceCommand extends BenchFigure {
  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new EnduranceBench(cluster, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress)
        .run();
  }
}
