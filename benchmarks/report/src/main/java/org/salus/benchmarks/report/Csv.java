package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of comma-separated values, a line for each measurement, each with its environment. Not
 * thread-safe.
 */
public final class Csv {
  private final List<String> lines = new ArrayList<>();
  private final BenchEnvironment environment;

  /**
   * @param header names of the fields of each line, but for the environment's
   */
  public Csv(String header, BenchEnvironment environment) {
    this.environment = environment;
    lines.add(header + "," + BenchEnvironment.HEADER);
  }

  /**
   * @param fields as they stand in the file
   */
  public void add(String fields) {
    lines.add(fields + "," + environment.csv());
  }

  /** Writes all of it; never over another file. */
  public void write(Path file) throws IOException {
    Files.write(file, lines, StandardOpenOption.CREATE_NEW);
  }
}
