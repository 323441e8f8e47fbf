package org.salus.benchmarks.figures.nbd;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.BenchResult;
import org.salus.benchmarks.report.Csv;
import org.salus.benchmarks.report.Median;
import org.salus.benchmarks.report.Plot;
import org.salus.benchmarks.report.ResultFiles;
import org.salus.benchmarks.report.Table;

/** The measurements of a run's jobs. Not thread-safe. */
public final class NbdReport implements BenchResult {
  /** The server of the export. */
  public enum Server {
    SALUS("salus", "Salus"),
    QEMU_NBD("qemu-nbd", "a plain file by qemu-nbd");

    private final String label;
    private final String words;

    Server(String label, String words) {
      this.label = label;
      this.words = words;
    }

    public String label() {
      return label;
    }
  }

  private static final List<Measure> TARGETED =
      Stream.of(Measure.values()).filter(Measure::hasTarget).toList();

  private record Row(
      Instant at, Server server, FioJob job, int repetition, int seconds, FioResult result) {}

  private final List<Row> rows = new ArrayList<>();

  /** Adds one result. */
  public void add(
      Instant at, Server server, FioJob job, int repetition, int seconds, FioResult result) {
    rows.add(new Row(at, server, job, repetition, seconds, result));
  }

  /**
   * One line for each figure: medians over the repetitions, the target, and the ratio to qemu-nbd.
   */
  @Override
  public String table() {
    Table table = new Table("JOB", "SALUS", "TARGET", "MET", "QEMU-NBD", "SALUS/QEMU-NBD");
    for (Measure m : Measure.values()) {
      double mine = median(m, Server.SALUS);
      double peer = median(m, Server.QEMU_NBD);
      boolean compared = !Double.isNaN(peer);
      if (!Double.isNaN(mine)) {
        table.add(
            m.label(),
            m.format(mine),
            m.target(),
            m.met(mine),
            compared ? m.format(peer) : "not installed",
            compared ? String.format(Locale.ROOT, "%.2f", mine / peer) : "-");
      }
    }
    return table.text().stripTrailing();
  }

  /** The median, or NaN if there is no value. */
  private double median(Measure m, Server server) {
    Stream<Row> own = rows.stream().filter(r -> r.server() == server && r.job() == m.job());
    return Median.of(own.mapToDouble(r -> m.of(r.result())).toArray());
  }

  /**
   * Each targeted figure as a multiple of its target, by server, or null if it was not measured. A
   * server without measurements is left out.
   */
  Map<String, List<Double>> timesTarget() {
    Map<String, List<Double>> all = new LinkedHashMap<>();
    for (Server server : Server.values()) {
      List<Double> times =
          TARGETED.stream()
              .map(m -> m.timesTarget(median(m, server)))
              .map(t -> t.isNaN() ? null : t)
              .toList();
      if (times.stream().anyMatch(Objects::nonNull)) {
        all.put(server.words, times);
      }
    }
    return all;
  }

  private Plot plot() {
    return Plot.bars(
        "Through NBD, by fio: 1 is the target",
        "times the target",
        TARGETED.stream().map(Measure::shortLabel).toList(),
        timesTarget());
  }

  @Override
  public List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException {
    return ResultFiles.write(
        dir, name, table(), List.of(), csv -> writeCsv(csv, environment), plot(), environment);
  }

  /** Writes a file with one line for each job and repetition. Never overwrites a file. */
  void writeCsv(Path file, BenchEnvironment environment) throws IOException {
    Csv csv =
        new Csv(
            "time,server,job,repetition,seconds,bytes,mb_per_s,iops,p50_us,p99_us", environment);
    for (Row r : rows) {
      FioResult f = r.result();
      csv.add(
          String.format(
              Locale.ROOT,
              "%s,%s,%s,%d,%d,%d,%.2f,%.1f,%.1f,%.1f",
              r.at(),
              r.server().label(),
              r.job().id(),
              r.repetition(),
              r.seconds(),
              f.bytes(),
              f.bytesPerSecond() / 1e6,
              f.iops(),
              f.p50Nanos() / 1e3,
              f.p99Nanos() / 1e3));
    }
    csv.write(file);
  }
}
