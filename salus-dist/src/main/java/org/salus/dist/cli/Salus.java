package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The main class of {@code bin/salus} and its top command. */
@Command(
    name = "salus",
    mixinStandardHelpOptions = true,
    version = "salus 0.1.0-SNAPSHOT",
    description = "A distributed block store that never lies about data.")
public final class Salus implements Runnable {
  /** Exit code of wrong usage. */
  public static final int USAGE = 2;

  /** Exit code of any other failure. */
  public static final int FAILED = 1;

  /** Lines of a stack trace, which Hadoop's messages from other processes may contain. */
  private static final Pattern STACK =
      Pattern.compile("^\\s*(at [\\w.$/]+\\(|\\.\\.\\. \\d+ more)");

  @Spec private CommandSpec spec;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Log more, and print stack traces of errors.")
  private boolean verbose;

  /** Whether to log more, and to print stack traces of errors. */
  public boolean verbose() {
    return verbose;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do");
  }

  /** Runs one command and ends the process. */
  public static void main(String[] args) {
    // Short commands start faster without the other commands.
    System.exit(
        (args.length > 0 && args[0].equals("volume")
                ? commandLine(List.of(new VolumeCommand()))
                : commandLine())
            .execute(args));
  }

  /** All commands, not yet run. */
  public static CommandLine commandLine() {
    List<Object> commands =
        new ArrayList<>(
            List.of(
                new StandaloneCommand(),
                new ClusterCommand(),
                new VolumeCommand(),
                new ServerCommand(),
                new NbdCommand(),
                new MapCommand(),
                new UnmapCommand(),
                new ShowmappedCommand(),
                new DoctorCommand(),
                new TopCommand(),
                new InstallCommand(),
                new UninstallCommand(),
                DaemonCommand.line()));
    ServiceLoader.load(Subcommands.class).forEach(tools -> commands.addAll(tools.commands()));
    return commandLine(commands);
  }

  private static CommandLine commandLine(List<Object> commands) {
    Salus salus = new Salus();
    CommandLine line = new CommandLine(salus);
    commands.forEach(line::addSubcommand);
    line.setExecutionStrategy(
        parsed -> {
          int code = new RunLast().execute(parsed);
          try {
            for (CommandLine command : parsed.asCommandLineList()) {
              Output.flush(command.getOut());
            }
          } catch (IOException lost) {
            complain(line.getErr(), lost.getMessage(), salus.verbose() ? lost : null);
            return code == 0 ? FAILED : code;
          }
          return code;
        });
    line.setParameterExceptionHandler(
        (wrong, args) -> {
          CommandLine command = wrong.getCommandLine();
          complain(
              command.getErr(),
              wrong.getMessage() + " (see " + command.getCommandSpec().qualifiedName() + " --help)",
              salus.verbose() ? wrong : null);
          return USAGE;
        });
    line.setExecutionExceptionHandler(
        (failed, command, parsed) -> {
          boolean saysNothing =
              failed.getMessage() == null
                  || failed instanceof FileSystemException f
                      && f.getReason() == null; // the message is only the file's name
          String message = saysNothing ? failed.toString() : failed.getMessage();
          complain(
              command.getErr(), CommandWords.of(failed, message), salus.verbose() ? failed : null);
          return FAILED;
        });
    line.setCaseInsensitiveEnumValuesAllowed(true);
    return line;
  }

  /** Prints progress for people on the error stream. */
  public static void say(PrintWriter err, String what) {
    err.println("salus: " + what);
    err.flush();
  }

  /**
   * Prints all lines of a message, since a later one may say what to do, but not a stack trace
   * within it.
   */
  private static void complain(PrintWriter err, String message, Exception trace) {
    List<String> lines =
        message.lines().filter(l -> !l.isBlank() && !STACK.matcher(l).find()).toList();
    err.println(
        "salus: " + (lines.isEmpty() ? "failed" : String.join(System.lineSeparator(), lines)));
    if (trace != null) {
      trace.printStackTrace(err);
    }
    err.flush();
  }
}
