package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.salus.client.SalusClient;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code salus cluster}: a cluster on this machine, with a process for each server. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Starts, stops and shows a cluster on this machine, with a process for each server.")
final class ClusterCommand implements Runnable {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      defaultValue = "./salus-cluster",
      scope = ScopeType.INHERIT,
      description = "Directory of data, configuration, logs and pids (default: ${DEFAULT-VALUE}).")
  private Path dir;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do: start, stop or status");
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  @Command(
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Starts all servers that do not run. Creates missing volumes and serves all given volumes by NBD.",
        "Returns when the volumes can be used. The servers keep running."
      },
      footer = {"", VolumeOption.HELP})
  private int start(
      @Option(
              names = "--servers",
              paramLabel = "N",
              defaultValue = "4",
              description =
                  "Region servers, and as many DataNodes: 3 to 32 (default: ${DEFAULT-VALUE}).")
          int servers,
      @Option(
              names = "--volume",
              paramLabel = "NAME:SIZE[:BLOCKSIZE]",
              defaultValue = "disk0:8G:4K",
              converter = VolumeOption.Converter.class,
              description =
                  "A volume to serve; may be given several times (default: ${DEFAULT-VALUE}).")
          List<VolumeOption> volumes,
      @Option(
              names = "--nbd",
              paramLabel = "HOST:PORT",
              defaultValue = "127.0.0.1:10809",
              converter = HostPort.Converter.class,
              description = "Where NBD clients connect (default: ${DEFAULT-VALUE}).")
          HostPort nbd,
      @Option(
              names = "-D",
              paramLabel = "KEY=VALUE",
              description = "A setting of all servers; docs/configuration.md lists them.")
          Map<String, String> settings)
      throws IOException {
    if (servers < EmbeddedCluster.MIN_SERVERS || servers > EmbeddedCluster.MAX_SERVERS) {
      throw new ParameterException(
          spec.commandLine(),
          "--servers "
              + servers
              + ": use "
              + EmbeddedCluster.MIN_SERVERS
              + " to "
              + EmbeddedCluster.MAX_SERVERS);
    }
    Map<String, String> all = settings == null ? new HashMap<>() : settings;
    Settings.requireKnown(all);
    Logging.quiet(salus.verbose());
    LocalCluster cluster = LocalCluster.withPages(dir);
    DaemonProcess bridge =
        cluster.nbd(volumes.stream().map(VolumeOption::name).toList(), nbd.toString());
    bridge.awaitEnd();
    if (bridge.process().isEmpty()) {
      nbd.requireFree("--nbd");
    }
    cluster.start(servers, all, this::say);
    bridge.awaitEnd();
    boolean serves = bridge.process().isPresent();
    boolean isMended =
        serves && !spec.commandLine().getParseResult().subcommand().hasMatchedOption("--volume");
    List<VolumeOption> wanted = isMended ? List.of() : volumes;
    if (!serves) {
      say("mounting " + String.join(", ", wanted.stream().map(VolumeOption::name).toList()));
    }
    all.put("salus.zookeeper.quorum", cluster.zookeeper());
    try (SalusClient client = SalusClient.connect(all)) {
      wanted.forEach(v -> v.ensure(client, false));
    }
    bridge.start();
    bridge.awaitReady();
    for (VolumeOption v : wanted) {
      if (bridge.ready().stream().noneMatch(line -> line.endsWith("/" + v.name()))) {
        throw new IOException(
            "volume "
                + v.name()
                + " exists, but the running bridge does not serve it: serve it with 'salus nbd "
                + v.name()
                + " --data "
                + dir
                + " --listen HOST:PORT', or stop the cluster and start it again");
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    bridge.ready().forEach(out::println);
    Output.flush(out);
    cluster.page().ifPresent(page -> say("the cluster's page: " + page));
    return 0;
  }

  @Command(mixinStandardHelpOptions = true, description = "Stops all servers; the data stays.")
  private int stop() throws IOException {
    new LocalCluster(dir).stop(this::say);
    return 0;
  }

  @Command(
      mixinStandardHelpOptions = true,
      description =
          "Shows which servers run. The exit code is 1 when one does not run or is ending.")
  private int status() throws IOException {
    List<DaemonProcess> daemons = new LocalCluster(dir).daemons();
    if (daemons.isEmpty()) {
      throw new IOException(
          "there is no cluster in "
              + dir
              + "; start one with 'salus cluster start --dir "
              + dir
              + "'");
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean all = true;
    for (DaemonProcess d : daemons) {
      Optional<ProcessHandle> process = d.process();
      boolean ending = d.isEnding();
      String how = ending ? "is ending" : "runs";
      all &= process.isPresent() && !ending;
      out.printf(
          "%-16s %s%n",
          d.name(), process.map(p -> how + ", pid " + p.pid()).orElse("does not run"));
    }
    Output.flush(out);
    return all ? 0 : Salus.FAILED;
  }
}
