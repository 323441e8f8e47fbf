package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.DaemonServer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus daemon}: runs one server of a cluster in this process until a signal stops it. */
@Command(
    name = "daemon",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs one server of a cluster until it is stopped. It is the stock server with Salus' parts in it.",
      "'salus cluster' writes the configuration files of a cluster on one machine. On several machines write your own:",
      "conf/ has an example for each role."
    },
    footer = {
      "",
      "Example: salus daemon datanode --conf /etc/salus/datanode.xml --log /var/log/salus/datanode.log"
    })
final class DaemonCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "ROLE",
      description = "One of ${COMPLETION-CANDIDATES}, in any case.")
  private Daemon role;

  @Parameters(
      index = "1..*",
      paramLabel = "OPTION",
      description = {
        "For a NameNode: startup options of HDFS, such as -bootstrapStandby, -rollingUpgrade started, -upgrade or",
        "-format. Without one, a single NameNode formats its directories if it finds them empty."
      })
  private List<String> options = List.of();

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      required = true,
      description = "Settings of Hadoop, HBase and Salus in Hadoop's XML.")
  private Path conf;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      required = true,
      description = "File to which the server logs.")
  private Path log;

  /** The command with a parser that leaves options of HDFS alone. */
  static CommandLine line() {
    return new CommandLine(new DaemonCommand()).setUnmatchedOptionsArePositionalParams(true);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (options.stream().anyMatch(o -> o.startsWith("--"))) {
      throw new ParameterException(
          spec.commandLine(), "Unknown option: " + String.join(" ", options));
    }
    if (role != Daemon.NAMENODE && !options.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "only a NameNode has startup options, not a "
              + name()
              + ": "
              + String.join(" ", options));
    }
    DaemonServer.Prepared server = DaemonServer.prepare(role, options, conf);
    PrintWriter out = spec.commandLine().getOut();
    Logging.toFile(log, salus.verbose());
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  out.println(DaemonProcess.ENDING);
                  out.flush();
                },
                "salus-ending"));
    server.run(
        () -> {
          out.println("ready " + name());
          Output.flush(out);
        });
    return 0;
  }

  private String name() {
    return role.name().toLowerCase(Locale.ROOT);
  }
}
