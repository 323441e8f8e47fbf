package org.salus.benchmarks.figures.nbd;

import java.io.IOException;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.nbd.NbdReport.Server;

/**
 * Runs every job against every server in turn, so that a slow moment of the machine hits all of
 * them.
 */
public final class NbdBench {
  /** Seconds that a job takes beside its measurement, to connect and report. */
  private static final int OVERHEAD_SECONDS = Fio.RAMP_SECONDS + 1;

  private final Fio fio;
  private final long range;
  private final int seconds;
  private final int repeat;
  private final Consumer<String> progress;
  private final Map<Server, NbdUri> servers = new EnumMap<>(Server.class);
  private long began;
  private int done;

  /**
   * @param range bytes that are used, from the export's beginning
   * @param seconds seconds that each job measures
   * @param progress learns what is run and how long it still takes
   */
  public NbdBench(Fio fio, long range, int seconds, int repeat, Consumer<String> progress) {
    this.fio = fio;
    this.range = range;
    this.seconds = seconds;
    this.repeat = repeat;
    this.progress = progress;
  }

  /** Adds a server. */
  public void on(Server server, NbdUri uri) {
    servers.put(server, uri);
  }

  /** Runs all jobs. */
  public NbdReport run() throws IOException, InterruptedException {
    NbdReport report = new NbdReport();
    began = System.nanoTime();
    for (int repetition = 1; repetition <= repeat; repetition++) {
      for (FioJob job : FioJob.values()) {
        for (Server server : servers.keySet()) {
          report.add(Instant.now(), server, job, repetition, seconds, one(server, job));
        }
      }
    }
    return report;
  }

  private FioResult one(Server server, FioJob job) throws IOException, InterruptedException {
    int all = repeat * FioJob.values().length * servers.size();
    progress.accept(
        String.format(
            "%d of %d: %s, %s; %s left",
            done + 1, all, server.label(), job.label(), left(all - done)));
    String uri = servers.get(server).text();
    FioResult result = fio.measure(job, uri, range, seconds);
    // Later jobs read the range, so the rest of it is written now.
    if (job == FioJob.WRITE_1M && result.bytes() < range) {
      progress.accept("writing the rest of the range, not measured");
      fio.fill(uri, result.bytes(), range - result.bytes());
    }
    done++;
    return result;
  }

  /**
   * The estimated time that is left for so many jobs. It uses the times of the jobs so far, or else
   * the time that a job measures.
   */
  private String left(int jobs) {
    double each = done == 0 ? seconds + OVERHEAD_SECONDS : (System.nanoTime() - began) / 1e9 / done;
    long total = Math.round(jobs * each);
    return total < 60
        ? "about " + total + " s"
        : "about " + total / 60 + " min " + total % 60 + " s";
  }
}
