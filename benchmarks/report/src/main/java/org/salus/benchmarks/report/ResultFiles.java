package org.salus.benchmarks.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The files of a result with a plot. */
public final class ResultFiles {
  /** Writes every repetition. */
  public interface Repetitions {
    void write(Path csv) throws IOException;
  }

  private ResultFiles() {}

  /**
   * Writes the table with its setting (txt), every repetition (csv), and the plot (png, svg). See
   * {@link BenchResult#write}.
   *
   * @param setting the setting of the servers and of the work, in lines
   */
  public static List<Path> write(
      Path dir,
      String name,
      String table,
      List<String> setting,
      Repetitions repetitions,
      Plot plot,
      BenchEnvironment environment)
      throws IOException {
    Path text = dir.resolve(name + ".txt");
    Path csv = dir.resolve(name + ".csv");
    Path png = dir.resolve(name + ".png");
    Path svg = dir.resolve(name + ".svg");
    Files.writeString(
        text,
        table + "\n\n" + String.join("\n", setting) + "\n" + surroundings(environment),
        StandardOpenOption.CREATE_NEW);
    repetitions.write(csv);
    plot.writePng(png);
    plot.writeSvg(svg);
    return List.of(text, csv, png, svg);
  }

  private static String surroundings(BenchEnvironment environment) {
    return "machine: "
        + environment
        + ", "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + "\n"
        + "client's JVM: "
        + (environment.heap() >> 20)
        + " MiB of heap, "
        + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments())
        + "\n";
  }
}
