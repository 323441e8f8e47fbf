package org.salus.dist.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.salus.dist.text.Table;

/** How long things took after servers were killed, in seconds, as a table of medians and as CSV. Not thread-safe. */
public final class RecoveryReport {
  /** Something that is measured; targets in seconds, NaN where there is none. */
  public enum Figure {
    REGION_SERVER_WRITE("region server killed: next write in every region", 1),
    REGION_SERVER_WHOLE("region server killed: three members everywhere", 20),
    REGION_SERVER_PAUSE("region server killed: longest pause until then", Double.NaN),
    DATANODE_WRITE("DataNode killed: next write in every region", 1),
    DATANODE_WHOLE("DataNode killed: three members everywhere", 20),
    DATANODE_PAUSE("DataNode killed: longest pause until then", Double.NaN),
    HOST_WRITE("both of a host killed: next write in every region", 1),
    HOST_WHOLE("both of a host killed: three members everywhere", 20),
    HOST_PAUSE("both of a host killed: longest pause until then", Double.NaN),
    CALM_PAUSE("longest pause in five seconds before the master is killed", Double.NaN),
    MASTER_PAUSE("active master killed: longest pause in five seconds", 0.25),
    LOG_WRITE("M0 of a region with unflushed log killed: next write in it", 10),
    START("all killed: until every server runs again", Double.NaN),
    MOUNT("all killed: mount after that", 15);

    private final String label;
    private final double target;

    Figure(String label, double target) {
      this.label = label;
      this.target = target;
    }

    /** For people. */
    String label() {
      return label;
    }
  }

  private static final String HEADER = "figure,repetition,seconds";

  private final Map<Figure, List<Double>> samples = new EnumMap<>(Figure.class);

  /** Adds one measurement, in seconds. */
  public void add(Figure figure, double seconds) {
    samples.computeIfAbsent(figure, f -> new ArrayList<>()).add(seconds);
  }

  /** One line for each figure: median, all from the least to the most, target, whether the median meets it. */
  public String table() {
    Table table = new Table("WHAT", "MEDIAN", "LEAST", "MOST", "RUNS", "TARGET", "MET");
    samples.forEach((figure, values) -> {
      double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
      double median = Median.of(all);
      boolean none = Double.isNaN(figure.target);
      table.add(figure.label, seconds(median), seconds(Arrays.stream(all).min().orElse(Double.NaN)),
          seconds(Arrays.stream(all).max().orElse(Double.NaN)), Integer.toString(all.length), none ? "-" : "<= " + seconds(figure.target),
          none ? "-" : median <= figure.target ? "yes" : "no");
    });
    return table.text().stripTrailing();
  }

  private static String seconds(double value) {
    return String.format(Locale.ROOT, "%.2f s", value);
  }

  /** Writes a file with one line for each measurement, each with its environment; never over another file. */
  public void writeCsv(Path file, BenchEnvironment environment) throws IOException {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW))) {
      out.println(HEADER + "," + BenchEnvironment.HEADER);
      samples.forEach((figure, values) -> {
        for (int i = 0; i < values.size(); i++) {
          out.printf(Locale.ROOT, "%s,%d,%.4f,%s%n", figure.name().toLowerCase(Locale.ROOT), i + 1, values.get(i), environment.csv());
        }
      });
      if (out.checkError()) {
        throw new IOException("cannot write " + file);
      }
    }
  }
}
