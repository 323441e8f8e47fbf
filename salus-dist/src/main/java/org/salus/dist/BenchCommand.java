package org.salus.dist;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus bench}: the benchmarks, one subcommand each. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = "Measures how fast Salus is.", 
    subcommands = {BenchNbdCommand.class, BenchRecoveryCommand.class})
final class BenchCommand implements Runnable {
  @ParentCommand
  private Salus salus;

  @Spec
  private CommandSpec spec;

  boolean verbose() {
    return salus.verbose();
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to measure: nbd or recovery");
  }
}
