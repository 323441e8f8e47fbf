package org.salus.benchmarks.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.salus.dist.cli.Salus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus bench}: the benchmarks, one subcommand each. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measures how fast Salus is.",
    subcommands = {
      BenchNbdCommand.class,
      BenchRecoveryCommand.class,
      BenchScrubCommand.class,
      BenchFig8Command.class,
      BenchFig9Command.class,
      BenchFig10Command.class,
      BenchFig11Command.class,
      BenchFig12Command.class,
      BenchFig13Command.class,
      BenchGaiosCommand.class,
      BenchRingCommand.class,
      BenchSizeCommand.class,
      BenchSmallCommand.class,
      BenchEnduranceCommand.class,
      BenchAllCommand.class
    })
final class BenchCommand implements Runnable {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  boolean verbose() {
    return salus.verbose();
  }

  /** Makes the directory for results before anything is measured. Null means none. */
  static void makeOut(Path out) throws IOException {
    try {
      if (out != null) {
        Files.createDirectories(out);
      }
    } catch (IOException failed) {
      throw new IOException(
          "cannot make directory " + out + "; choose another one with --out", failed);
    }
  }

  /** A name for a benchmark's result files: the benchmark's name and the time. */
  static String stamped(String benchmark) {
    return benchmark
        + "-"
        + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
            .withZone(ZoneOffset.UTC)
            .format(Instant.now());
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "say what to measure: nbd, recovery, scrub, fig8, fig9, fig10, fig11, fig12, fig13, gaios, ring, size, small, endurance or all");
  }
}
