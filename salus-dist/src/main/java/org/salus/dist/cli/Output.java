package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * Writes out what a command prints. Java's writers hide errors; here lost output is an error of the
 * command. Thread-safe.
 */
final class Output {
  /** The process's own standard output; {@link Logging#toDirectory} replaces {@code System.out}. */
  private static final PrintStream STANDARD = System.out;

  private Output() {}

  /**
   * Writes out what was printed.
   *
   * @throws IOException when some of it is lost
   */
  static void flush(PrintWriter out) throws IOException {
    if (out.checkError() | STANDARD.checkError()) {
      throw new IOException(
          "cannot write to standard output; is its disk full, or its reader gone?");
    }
  }
}
