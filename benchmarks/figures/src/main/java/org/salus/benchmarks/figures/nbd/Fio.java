package org.salus.benchmarks.figures.nbd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs fio with its NBD engine. For one thread, except {@link #stop}. */
public final class Fio {
  /**
   * Seconds for which fio warms up before it measures. Meanwhile connections come up and code is
   * compiled.
   */
  public static final int RAMP_SECONDS = 2;

  private final String program;
  private final Path dir;
  private final String version;
  private volatile Process running;
  private volatile boolean stopped;

  /**
   * @param dir the directory where fio runs
   * @throws IOException when there is no fio; the message names the package that has it
   */
  public Fio(Path dir) throws IOException, InterruptedException {
    this("fio", dir);
  }

  Fio(String program, Path dir) throws IOException, InterruptedException {
    this.program = program;
    this.dir = dir;
    this.version = run(List.of("--version")).strip();
  }

  public String version() {
    return version;
  }

  /** Runs a job for some seconds over the first {@code range} bytes of an export. */
  public FioResult measure(FioJob job, String uri, long range, int seconds)
      throws IOException, InterruptedException {
    List<String> arguments = arguments(job, uri, 0, range);
    arguments.addAll(
        List.of("--time_based", "--runtime=" + seconds, "--ramp_time=" + RAMP_SECONDS));
    return FioResult.parse(run(arguments), job.reads());
  }

  /** Writes a part of an export once, in order. */
  public void fill(String uri, long offset, long length) throws IOException, InterruptedException {
    FioResult.parse(run(arguments(FioJob.WRITE_1M, uri, offset, length)), false);
  }

  private static List<String> arguments(FioJob job, String uri, long offset, long length) {
    return new ArrayList<>(
        List.of(
            "--name=" + job.id(),
            "--ioengine=nbd",
            "--uri=" + uri,
            "--rw=" + job.pattern(),
            "--bs=" + job.bytes(),
            "--iodepth=" + job.depth(),
            "--offset=" + offset,
            "--size=" + length,
            "--lat_percentiles=1",
            "--clat_percentiles=0",
            "--percentile_list=50:99",
            "--output-format=json"));
  }

  /** Returns what fio printed. When fio fails, the exception has its last line of complaint. */
  private String run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(arguments);
    Path complaints = Files.createTempFile(dir, "fio", ".err");
    try {
      Process process = start(command, complaints);
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        String last =
            Files.readString(complaints)
                .strip()
                .lines()
                .reduce((a, b) -> b)
                .orElse("exit code " + code);
        throw new IOException(stopped ? "fio was stopped" : "fio failed: " + last);
      }
      return out;
    } finally {
      running = null;
      Files.deleteIfExists(complaints);
    }
  }

  private Process start(List<String> command, Path complaints) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(dir.toFile()).redirectError(complaints.toFile());
    try {
      running = builder.start();
    } catch (IOException missing) {
      throw new IOException(
          "fio is needed for this; install it (Debian: apt install fio)", missing);
    }
    return running;
  }

  /** Ends the current run. Any thread may call it. */
  public void stop() {
    stopped = true;
    Process now = running;
    if (now != null) {
      now.destroy();
    }
  }
}
