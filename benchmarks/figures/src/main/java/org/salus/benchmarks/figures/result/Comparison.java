package org.salus.benchmarks.figures.result;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.Csv;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Median;
import org.salus.benchmarks.report.Table;

/** Measurements of Salus and of other systems that do the same work. Not thread-safe. */
public final class Comparison {
  /** The system that the others are compared with. */
  public static final String SALUS = "Salus";

  /**
   * The work that is compared.
   *
   * @param name for files
   * @param label for people
   * @param unit of what is measured
   * @param paper what the paper found, in words
   * @param target of the ratio of Salus to another, or null
   */
  public record Work(String name, String label, String unit, String paper, Goal target) {
    private String text(double[] values) {
      return String.format(Locale.ROOT, "%.2f %s", Median.of(values), unit) + " " + spread(values);
    }

    private String target(double ratio) {
      if (target == null) {
        return "-";
      }
      return String.format(
          Locale.ROOT,
          "%s %.2f: %s",
          target.most() ? "<=" : ">=",
          target.value(),
          target.isMet(ratio) ? "met" : "missed");
    }
  }

  private final long seed;
  private final Map<Work, Map<String, List<Double>>> samples = new LinkedHashMap<>();

  /**
   * @param seed of contents and orders
   */
  public Comparison(long seed) {
    this.seed = seed;
  }

  /** Adds the value of one repetition, in the work's unit. */
  public void add(Work work, String system, double value) {
    samples
        .computeIfAbsent(work, w -> new LinkedHashMap<>())
        .computeIfAbsent(system, s -> new ArrayList<>())
        .add(value);
  }

  /** The median of a system's values; NaN if there are none. */
  public double median(Work work, String system) {
    return Median.of(values(work, system));
  }

  private double[] values(Work work, String system) {
    return samples.getOrDefault(work, Map.of()).getOrDefault(system, List.of()).stream()
        .mapToDouble(Double::doubleValue)
        .toArray();
  }

  private static String spread(double[] values) {
    double[] sorted = DoubleStream.of(values).sorted().toArray();
    return String.format(Locale.ROOT, "(%.2f-%.2f)", sorted[0], sorted[sorted.length - 1]);
  }

  /**
   * A line for each work and each peer: the medians, and the median of the ratios of all
   * repetitions. Brackets have the least and the most.
   */
  String table() {
    Table table = new Table("WORK", "SALUS", "PEER", "THE PEER'S", "RATIO", "PAPER'S", "TARGET");
    samples.forEach(
        (work, systems) -> {
          for (String peer : systems.keySet()) {
            if (!peer.equals(SALUS)) {
              double[] own = values(work, SALUS);
              double[] others = values(work, peer);
              double[] ratios =
                  IntStream.range(0, Math.min(own.length, others.length))
                      .mapToDouble(i -> own[i] / others[i])
                      .toArray();
              double ratio = Median.of(ratios);
              table.add(
                  work.label(),
                  work.text(own),
                  peer,
                  work.text(others),
                  String.format(Locale.ROOT, "%.2f ", ratio) + spread(ratios),
                  work.paper(),
                  work.target(ratio));
            }
          }
        });
    return table.text().stripTrailing();
  }

  /** Writes a file with one line for each measurement. It never overwrites a file. */
  void writeCsv(Path file, BenchEnvironment environment) throws IOException {
    Csv csv = new Csv("work,system,repetition,value,unit,seed", environment);
    samples.forEach(
        (work, systems) ->
            systems.forEach(
                (system, values) -> {
                  for (int i = 0; i < values.size(); i++) {
                    csv.add(
                        String.format(
                            Locale.ROOT,
                            "%s,\"%s\",%d,%.4f,%s,%d",
                            work.name(),
                            system,
                            i + 1,
                            values.get(i),
                            work.unit(),
                            seed));
                  }
                }));
    csv.write(file);
  }
}
