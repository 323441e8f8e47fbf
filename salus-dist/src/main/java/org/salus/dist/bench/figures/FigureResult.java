package org.salus.dist.bench.figures;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.salus.dist.bench.BenchEnvironment;
import org.salus.dist.bench.BenchResult;

/**
 * A figure of the paper as it was measured here.
 *
 * @param setting of the servers and of the work, in lines
 */
record FigureResult(Comparison comparison, Plot plot, List<String> setting) implements BenchResult {
  @Override
  public String table() {
    return comparison.table();
  }

  /** The table with all that was around (txt), every repetition (csv), and the plot (png, svg). */
  @Override
  public List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException {
    Path text = dir.resolve(name + ".txt");
    Path csv = dir.resolve(name + ".csv");
    Path png = dir.resolve(name + ".png");
    Path svg = dir.resolve(name + ".svg");
    Files.writeString(text, table() + "\n\n" + String.join("\n", setting) + "\n" + surroundings(environment), StandardOpenOption.CREATE_NEW);
    comparison.writeCsv(csv, environment);
    plot.writePng(png);
    plot.writeSvg(svg);
    return List.of(text, csv, png, svg);
  }

  private static String surroundings(BenchEnvironment environment) {
    return "machine: " + environment + ", " + System.getProperty("os.name") + " " + System.getProperty("os.version") + "\n"
        + "client's JVM: " + (environment.heap() >> 20) + " MiB of heap, " + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()) + "\n";
  }
}
