package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.salus.client.SalusException;
import org.salus.dist.doctor.Diagnosis;
import org.salus.dist.doctor.Doctor;
import org.salus.dist.doctor.LiveCluster;
import org.salus.dist.doctor.TimeLimit;
import org.salus.dist.doctor.check.Checks;
import org.salus.dist.doctor.check.Finding;
import org.salus.monitor.json.InfoJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus doctor}: examines a running cluster. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Examines a running cluster and changes nothing. Prints a line for each finding, with what to do.",
      "It asks ZooKeeper for the daemons, and each daemon at its info server and its ports. So run it where these can be reached, as a user that may ask the NameNode.",
      "The exit code is 0 when nothing stops or endangers volumes, 1 when something does or cannot be known, and 2 when the command is wrong or ZooKeeper does not answer."
    },
    footer = {
      "",
      "Examples:",
      "  salus doctor --conf /etc/salus/cluster.xml --zookeeper zookeeper.example:2181",
      "  salus doctor --data ./salus-cluster",
      "  salus doctor --data ./salus-cluster --json --strict",
      "  salus doctor --list"
    })
final class DoctorCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Option(names = "--strict", description = "Exit with 1 for warnings, too.")
  private boolean strict;

  @Option(names = "--list", description = "Only print what it would look for.")
  private boolean list;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description =
          "The longest time, 1 to 3600. What is not known by then is a finding (default: ${DEFAULT-VALUE}).")
  private int timeout;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (timeout < 1 || timeout > 3600) {
      throw new ParameterException(spec.commandLine(), "--timeout " + timeout + ": use 1 to 3600");
    }
    PrintWriter out = spec.commandLine().getOut();
    if (list) {
      Checks.ALL.forEach(c -> out.printf("%-12s %s%n", c.name(), c.looksFor()));
      return 0;
    }
    Logging.errors(salus.verbose());
    Duration limit = Duration.ofSeconds(timeout);
    Doctor doctor = new Doctor(cluster.isStandalone() ? Checks.STANDALONE : Checks.ALL, limit);
    LiveCluster connected;
    try {
      connected =
          TimeLimit.within(
              limit, () -> LiveCluster.connect(cluster.settings(), cluster.allSettings()));
    } catch (SalusException.Unavailable | IOException | IllegalArgumentException unreachable) {
      say(unreachable.getMessage());
      return Salus.USAGE;
    } catch (TimeoutException late) {
      say("ZooKeeper did not answer within " + timeout + " s");
      return Salus.USAGE;
    }
    if (cluster.isStandalone()) {
      say("of a 'salus standalone', only the volumes are examined");
    }
    try (LiveCluster c = connected) {
      return print(out, doctor.examine(c, this::say));
    }
  }

  private void say(String words) {
    Salus.say(spec.commandLine().getErr(), words);
  }

  private int print(PrintWriter out, Diagnosis d) throws IOException {
    out.println(json ? InfoJson.of(d) : text(d));
    Output.flush(out);
    return d.problems() > 0 || strict && d.warnings() > 0 ? Salus.FAILED : 0;
  }

  /** One line for each finding, and one for all. */
  static String text(Diagnosis d) {
    StringBuilder text = new StringBuilder();
    d.findings().forEach(f -> text.append(line(f)).append(System.lineSeparator()));
    return text.append(d.healthy() ? "healthy" : "not healthy")
        .append(": ")
        .append(count(d.problems(), "problem"))
        .append(", ")
        .append(count(d.warnings(), "warning"))
        .append("; ")
        .append(count(d.checks().size(), "check"))
        .toString();
  }

  /** Words of daemons may have line breaks, and stack traces after them. */
  private static String line(Finding f) {
    return String.format(
            "%-8s %s: %s%s",
            f.severity().name().toLowerCase(Locale.ROOT),
            f.check(),
            f.what().lines().findFirst().orElse(""),
            f.wayOut().isEmpty() ? "" : " -> " + f.wayOut())
        .strip();
  }

  private static String count(int n, String what) {
    return (n == 0 ? "no" : Integer.toString(n)) + " " + what + (n == 1 ? "" : "s");
  }
}
