package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Repeated measurements of some figures, as a table of medians and as CSV. Not thread-safe. */
public final class FigureReport implements BenchResult {

  /**
   * A measured quantity.
   *
   * @param name the name in files
   * @param label the name for people
   * @param unit the unit of the values
   * @param target the target of the median, or null
   */
  public record Figure(String name, String label, String unit, Goal target) {
    public String text(double value) {
      return String.format(Locale.ROOT, "%.2f %s", value, unit);
    }
  }

  /**
   * @param most whether the value is an upper limit; otherwise it is a lower one
   */
  public record Goal(double value, boolean most) {
    public static Goal atMost(double value) {
      return new Goal(value, true);
    }

    public static Goal atLeast(double value) {
      return new Goal(value, false);
    }

    public boolean isMet(double median) {
      return most ? median <= value : median >= value;
    }
  }

  private final Map<Figure, List<Double>> samples = new LinkedHashMap<>();

  /** Adds one measurement, in the figure's unit. */
  public void add(Figure figure, double value) {
    samples.computeIfAbsent(figure, f -> new ArrayList<>()).add(value);
  }

  /**
   * One line for each figure: the median, the least and the most value, the number of runs, the
   * target, and whether the median meets it.
   */
  @Override
  public String table() {
    Table table = new Table("WHAT", "MEDIAN", "LEAST", "MOST", "RUNS", "TARGET", "MET");
    samples.forEach(
        (figure, values) -> {
          double[] all = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
          double median = Median.of(all);
          Goal target = figure.target();
          table.add(
              figure.label(),
              figure.text(median),
              figure.text(all[0]),
              figure.text(all[all.length - 1]),
              Integer.toString(all.length),
              target == null ? "-" : (target.most() ? "<= " : ">= ") + figure.text(target.value()),
              target == null ? "-" : target.isMet(median) ? "yes" : "no");
        });
    return table.text().stripTrailing();
  }

  @Override
  public List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException {
    Path file = dir.resolve(name + ".csv");
    writeCsv(file, environment);
    return List.of(file);
  }

  /** Writes a file with one line for each measurement. Never overwrites a file. */
  public void writeCsv(Path file, BenchEnvironment environment) throws IOException {
    Csv csv = new Csv("figure,repetition,value,unit", environment);
    samples.forEach(
        (figure, values) -> {
          for (int i = 0; i < values.size(); i++) {
            csv.add(
                String.format(
                    Locale.ROOT,
                    "%s,%d,%.4f,%s",
                    figure.name(),
                    i + 1,
                    values.get(i),
                    figure.unit()));
          }
        });
    csv.write(file);
  }
}
