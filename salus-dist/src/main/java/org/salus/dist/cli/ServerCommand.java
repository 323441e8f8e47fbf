package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.salus.client.SalusClient;
import org.salus.client.ServerInfo;
import org.salus.client.VolumeInfo;
import org.salus.monitor.json.InfoJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code salus server}: shows servers, and takes members away from those that are to go. */
@Command(
    name = "server",
    mixinStandardHelpOptions = true,
    description = "Shows the servers of a running cluster, and drains those that are to go.")
final class ServerCommand implements Runnable {
  private static final long LOOK_MILLIS = 500;
  private static final long TELL_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print JSON, for programs.")
  private boolean json;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do: list, drain or undrain");
  }

  private void with(ClusterOptions cluster, ClientWork work) throws IOException {
    ClientWork.run(work, cluster, salus.verbose(), spec.commandLine().getOut());
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = {
        "Lists all servers: whether they run, whether they are drained, and how many regions need them.",
        "A region needs the servers of its members, and those whose data its next members must still read."
      })
  private void list(@Mixin ClusterOptions cluster) throws IOException {
    with(
        cluster,
        (client, out) -> {
          List<ServerInfo> all = client.serverAdmin().list();
          if (json) {
            out.println(InfoJson.of(all));
            return;
          }
          out.printf("%-28s %-24s %-8s %s%n", "SERVER", "DATANODE", "STATE", "REGIONS");
          all.forEach(
              s ->
                  out.printf(
                      "%-28s %-24s %-8s %d%n",
                      s.name(),
                      s.dataNode().isEmpty() ? "-" : s.dataNode(),
                      state(s),
                      s.regions()));
        });
  }

  private static String state(ServerInfo s) {
    if (!s.running()) {
      return s.drained() ? "drained" : "gone";
    }
    return !s.drained() ? "runs" : s.regions() > 0 ? "draining" : "drained";
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = {
        "Has members leave the servers of a host one by one, while volumes are used, and puts none there.",
        "Returns when no region needs the host any more: it can be stopped then. The host stays drained, over restarts too, until 'salus server undrain'."
      },
      footer = {
        "",
        "Example: salus server drain node7.example.com",
        "         salus server drain node7.example.com --no-wait; salus server list"
      })
  private void drain(
      @Mixin ClusterOptions cluster,
      @Parameters(
              paramLabel = "HOST[:PORT]",
              description = "A host, or one server as 'salus server list' names it.")
          String host,
      @Option(names = "--no-wait", description = "Return at once.") boolean noWait,
      @Option(
              names = "--force",
              description =
                  "Drain it although fewer than three servers are left. Members stay until another server runs.")
          boolean force)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          client.serverAdmin().drain(host, force);
          int left = left(client, host);
          if (!noWait) {
            awaitDrained(client, host, left);
            left = 0;
          }
          out.println(
              json
                  ? InfoJson.of(Map.of("drained", host, "regions", left))
                  : left == 0
                      ? host + " is drained: no region needs it"
                      : host + " is being drained: " + left + " regions still need it");
        });
  }

  private static int left(SalusClient client, String host) {
    return client.serverAdmin().list().stream()
        .filter(s -> s.name().equals(host) || s.name().startsWith(host + ":"))
        .mapToInt(ServerInfo::regions)
        .sum();
  }

  /** Waits, and tells how far it is when that changes, and from time to time why it does not. */
  private void awaitDrained(SalusClient client, String host, int first) throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    long toldAt = System.nanoTime();
    int told = -1;
    int left = first;
    while (left > 0) {
      if (left != told) {
        err.println("salus: " + left + " regions still need " + host);
        told = left;
        toldAt = System.nanoTime();
      } else if (System.nanoTime() - toldAt > TELL_AGAIN_NANOS) {
        err.println("salus: " + left + " regions still need " + host + why(client));
        toldAt = System.nanoTime();
      }
      err.flush();
      pause();
      left = left(client, host);
    }
  }

  /** What regions say that they wait for. */
  private static String why(SalusClient client) {
    TreeSet<String> notes = new TreeSet<>();
    client.infos().stream()
        .flatMap(v -> v.regions().stream())
        .map(VolumeInfo.Region::note)
        .filter(note -> note.contains("no other server can join") || note.contains("it waits"))
        .forEach(notes::add);
    return notes.isEmpty() ? "" : ": " + notes.first();
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(LOOK_MILLIS);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted; the host stays drained", cut);
    }
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = "Lets a drained host have members again.",
      footer = {"", "Example: salus server undrain node7.example.com"})
  private void undrain(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "HOST[:PORT]", description = "As it was given to 'drain'.")
          String host)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          client.serverAdmin().undrain(host);
          out.println(
              json ? InfoJson.of(Map.of("undrained", host)) : host + " may have members again");
        });
  }
}
