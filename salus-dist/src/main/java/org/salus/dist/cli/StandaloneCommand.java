package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.salus.client.SalusClient;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.host.config.Settings;
import org.salus.nbd.netty.NbdServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus standalone}: runs a whole cluster in this process until a signal stops it. */
@Command(
    name = "standalone",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description =
        "Runs a whole cluster in one process and serves volumes by NBD until it is stopped.",
    footer = {"", VolumeOption.HELP})
final class StandaloneCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(StandaloneCommand.class);

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./salus-data",
      description = "Directory of all data; created if it is missing.")
  private Path data;

  @Option(
      names = "--volume",
      paramLabel = "NAME:SIZE[:BLOCKSIZE]",
      defaultValue = "disk0:8G:4K",
      converter = VolumeOption.Converter.class,
      description = "A volume to serve, created if it is missing; may be given several times.")
  private List<VolumeOption> volumes;

  @Option(
      names = "--nbd",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:10809",
      converter = HostPort.Converter.class,
      description = "Where NBD clients connect.")
  private HostPort nbd;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "4",
      description = "Region servers, and as many DataNodes: 3 to 32.")
  private int servers;

  @Option(
      names = "--synced",
      description =
          "Create volumes that acknowledge a write when it is on the disks of three DataNodes.")
  private boolean synced;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "A setting of all servers and of the client; docs/configuration.md lists them.")
  private Map<String, String> settings = new HashMap<>();

  private final ExportedVolumes open = new ExportedVolumes();
  private EmbeddedCluster cluster;
  private SalusClient client;
  private NbdServer server;
  private boolean exiting;

  @Override
  public Integer call() throws Exception {
    validate();
    CommandLine cli = spec.commandLine();
    PrintWriter out = cli.getOut();
    nbd.requireFree("--nbd");
    DataDirectory directory = DataDirectory.open(data);
    Logging.toDirectory(directory.path().resolve("logs"), salus.verbose());
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "salus-stop"));
    start(directory, cli.getErr());
    for (VolumeOption volume : volumes) {
      Salus.say(cli.getErr(), "mounting volume " + volume);
      volume.ensure(client, synced);
      open.open(client, volume.name(), false, ExportedVolumes.address(nbd));
    }
    synchronized (this) {
      server = NbdServer.tcp(nbd.address(), open);
    }
    for (VolumeOption volume : volumes) {
      out.println("ready nbd://" + nbd.host() + ":" + server.port() + "/" + volume.name());
    }
    Output.flush(out);
    throw new IOException(cluster.died().get() + "; see " + directory.path().resolve("logs"));
  }

  private void validate() {
    Settings.requireKnown(settings);
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
    Set<String> names = new HashSet<>();
    for (VolumeOption volume : volumes) {
      if (!names.add(volume.name())) {
        throw new ParameterException(
            spec.commandLine(), "--volume " + volume.name() + " is given twice");
      }
    }
  }

  private void start(DataDirectory directory, PrintWriter err) throws IOException {
    EmbeddedCluster started =
        EmbeddedCluster.start(directory, servers, settings, step -> Salus.say(err, step));
    synchronized (this) {
      cluster = started;
      settings.put("salus.zookeeper.quorum", started.zookeeper());
      client = SalusClient.connect(settings);
    }
  }

  /**
   * Stops the cluster. While it still starts there is nothing to stop: all parts survive being cut
   * off.
   */
  private synchronized void stop() {
    if (exiting || cluster == null) {
      return;
    }
    exiting = true;
    try {
      if (server != null) {
        server.end(ExportedVolumes.LET_GO);
      }
      open.closeSoon(client);
      client.close();
    } catch (RuntimeException failed) {
      LOG.warn("volumes do not close cleanly", failed);
    }
    cluster.stop();
  }
}
