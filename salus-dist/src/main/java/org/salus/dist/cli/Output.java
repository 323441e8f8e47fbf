package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * What a command prints. Java's writers keep errors to themselves; here a result that did not
 * arrive is an error of the command. Thread-safe.
 */
final class Output {
  /** Of the process itself; {@link Logging#toDirectory} puts another one in its place. */
  private static final PrintStream STANDARD = System.out;

  private Output() {}

  /** Writes out what was printed; IOException when some of it is lost. */
  static void flush(PrintWriter out) throws IOException {
    if (out.checkError() | STANDARD.checkError()) {
      throw new IOException(
          "cannot write to standard output; is its disk full, or its reader gone?");
    }
  }
}
