package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The result of a benchmark. */
public interface BenchResult {
  /** The result for people. It may have several lines; the last is not empty. */
  String table();

  /**
   * Writes all of the result to files, and never overwrites one.
   *
   * @param dir an existing directory for the files
   * @param name the name of the files without their extensions
   * @return the files
   */
  List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException;
}
