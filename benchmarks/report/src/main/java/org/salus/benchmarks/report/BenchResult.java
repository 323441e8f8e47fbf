package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What a benchmark found. */
public interface BenchResult {
  /** For people; several lines without one that is empty at the end. */
  String table();

  /**
   * Writes all of it to files, never over others.
   *
   * @param dir where they go, which is there
   * @param name of the files but for their extensions
   * @return the files
   */
  List<Path> write(Path dir, String name, BenchEnvironment environment) throws IOException;
}
