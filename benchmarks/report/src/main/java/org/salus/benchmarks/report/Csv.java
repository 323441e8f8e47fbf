package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A file of comma-separated values with a line for each measurement. Each line has its environment.
 * Not thread-safe.
 */
public final class Csv {
  private final List<String> lines = new ArrayList<>();
  private final BenchEnvironment environment;

  /**
   * @param header the names of each line's fields, without those of the environment
   */
  public Csv(String header, BenchEnvironment environment) {
    this.environment = environment;
    lines.add(header + "," + BenchEnvironment.HEADER);
  }

  /**
   * @param fields the fields as they stand in the file
   */
  public void add(String fields) {
    lines.add(fields + "," + environment.csv());
  }

  /** Writes all lines. Never overwrites a file. */
  public void write(Path file) throws IOException {
    Files.write(file, lines, StandardOpenOption.CREATE_NEW);
  }
}
