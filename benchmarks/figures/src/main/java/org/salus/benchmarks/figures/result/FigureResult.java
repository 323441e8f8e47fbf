package org.salus.benchmarks.figures.result;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.BenchResult;
import org.salus.benchmarks.report.Plot;
import org.salus.benchmarks.report.ResultFiles;

/**
 * A figure of the paper as it was measured here.
 *
 * @param setting lines about the servers and the work
 */
public record FigureResult(Comparison comparison, Plot plot, List<String> setting)
    implements BenchResult {
  @Override
  public String table() {
    return comparison.table();
  }

  @Override
  public List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException {
    return ResultFiles.write(
        dir,
        name,
        table(),
        setting,
        csv -> comparison.writeCsv(csv, environment),
        plot,
        environment);
  }
}
