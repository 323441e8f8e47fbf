package org.salus.dist.system;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.cli.Salus;
import picocli.CommandLine;

/** What a command of {@code bin/salus} has printed and returned. */
record CommandAnswer(int code, String out, String err) {
  /** Runs a command on the cluster with this ZooKeeper. */
  static CommandAnswer of(String zookeeper, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--zookeeper", zookeeper));
    return of(all);
  }

  /** Runs a command. */
  static CommandAnswer of(List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    CommandAnswer answer =
        new CommandAnswer(
            line.execute(arguments.toArray(String[]::new)), out.toString(), err.toString());
    System.out.println(String.join(" ", arguments) + ": " + answer);
    return answer;
  }
}
