package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.salus.client.SalusClient;
import org.salus.client.ServerAdmin;
import org.salus.client.ServerInfo;
import org.salus.client.ServerList;
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
  private static final String MAY_STOP =
      "no region has a member there, so it can be stopped for a while. Before its disk is wiped, or"
          + " a second host is stopped for long, decommission its DataNode by HDFS' procedure";

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
        "A region needs the servers of its members, those whose data its next members must still read, and one that gets ready to join."
      })
  private void list(@Mixin ClusterOptions cluster) throws IOException {
    with(
        cluster,
        (client, out) -> {
          ServerList all = client.serverAdmin().list();
          if (json) {
            out.println(InfoJson.of(all));
            return;
          }
          out.printf("%-28s %-24s %-8s %s%n", "SERVER", "DATANODE", "STATE", "REGIONS");
          all.servers()
              .forEach(
                  s ->
                      out.printf(
                          "%-28s %-24s %-8s %d%n",
                          s.name(),
                          s.dataNode().isEmpty() ? "-" : s.dataNode(),
                          state(s, all),
                          s.regions()));
          all.unknown().forEach(why -> out.println("note: more regions may need them: " + why));
        });
  }

  private static String state(ServerInfo s, ServerList all) {
    boolean isFree = s.regions() == 0 && all.unknown().isEmpty();
    if (!s.running()) {
      return s.drained() && isFree ? "drained" : "gone";
    }
    return !s.drained() ? "runs" : isFree ? "drained" : "draining";
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = {
        "Has members leave the servers of a host one by one, while volumes are used, and puts none there.",
        "Returns when no region has a member there any more: it can be stopped for a while then. The host stays drained, over restarts too, until 'salus server undrain'.",
        "Finished files of volumes stay on its DataNode. Before its disk is wiped, or a second host is stopped for long, decommission the DataNode by HDFS' procedure."
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
          ServerAdmin admin = client.serverAdmin();
          admin.drain(host, force);
          if (!noWait) {
            PrintWriter err = spec.commandLine().getErr();
            new DrainWait(host, admin::list, () -> why(client), ServerCommand::pause, err).await();
          }
          ServerList now = noWait ? admin.list() : null;
          int left = noWait ? now.regions(host) : 0;
          List<String> unknown = noWait ? now.unknown() : List.of();
          out.println(
              json
                  ? InfoJson.of(Map.of("drained", host, "regions", left, "unknown", unknown))
                  : noWait
                      ? host + " is being drained: " + DrainWait.words(now, host)
                      : host + " is drained: " + MAY_STOP);
        });
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

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
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
          Set<String> still = client.serverAdmin().undrain(host);
          out.println(
              json
                  ? InfoJson.of(Map.of("undrained", host, "stillDrained", still))
                  : still.isEmpty()
                      ? host + " may have members again"
                      : host + " is noted no more, but these notes stand: " + still);
        });
  }
}
