package org.salus.dist.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.salus.dist.text.Table;

/** What the jobs of a run measured, as a table for people and as CSV for programs. Not thread-safe. */
public final class Report {
  /** Who served the export. */
  public enum Server {
    SALUS("salus"), QEMU_NBD("qemu-nbd");

    private final String label;

    Server(String label) {
      this.label = label;
    }

    public String label() {
      return label;
    }
  }

  private record Row(Instant at, Server server, FioJob job, int repetition, int seconds, FioResult result) {}

  private final List<Row> rows = new ArrayList<>();

  /** Adds one result. */
  public void add(Instant at, Server server, FioJob job, int repetition, int seconds, FioResult result) {
    rows.add(new Row(at, server, job, repetition, seconds, result));
  }

  /** One line for each figure: medians over the repetitions, the target, and the ratio to qemu-nbd. */
  public String table() {
    Table table = new Table("JOB", "SALUS", "TARGET", "MET", "QEMU-NBD", "SALUS/QEMU-NBD");
    for (Measure m : Measure.values()) {
      double mine = median(m, Server.SALUS);
      double peer = median(m, Server.QEMU_NBD);
      boolean compared = !Double.isNaN(peer);
      if (!Double.isNaN(mine)) {
        table.add(m.label(), m.format(mine), m.target(), m.met(mine), compared ? m.format(peer) : "not installed",
            compared ? String.format(Locale.ROOT, "%.2f", mine / peer) : "-");
      }
    }
    return table.text().stripTrailing();
  }

  /** NaN when there is none. */
  private double median(Measure m, Server server) {
    Stream<Row> own = rows.stream().filter(r -> r.server() == server && r.job() == m.job());
    return Median.of(own.mapToDouble(r -> m.of(r.result())).toArray());
  }

  /** Writes a file with one line for each job and repetition; never over another file. */
  public void writeCsv(Path file, BenchEnvironment environment) throws IOException {
    Csv csv = new Csv("time,server,job,repetition,seconds,bytes,mb_per_s,iops,p50_us,p99_us", environment);
    for (Row r : rows) {
      FioResult f = r.result();
      csv.add(String.format(Locale.ROOT, "%s,%s,%s,%d,%d,%d,%.2f,%.1f,%.1f,%.1f", r.at(), r.server().label(), r.job().id(), r.repetition(),
          r.seconds(), f.bytes(), f.bytesPerSecond() / 1e6, f.iops(), f.p50Nanos() / 1e3, f.p99Nanos() / 1e3));
    }
    csv.write(file);
  }
}
