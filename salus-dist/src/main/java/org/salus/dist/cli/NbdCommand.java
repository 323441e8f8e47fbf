package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.salus.client.LastMount;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.MetricsServer;
import org.salus.nbd.NbdMeter;
import org.salus.nbd.netty.NbdServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code salus nbd}: mounts volumes of a running cluster and serves them until a signal stops it.
 */
@Command(
    name = "nbd",
    mixinStandardHelpOptions = true,
    description = "Mounts volumes of a running cluster and serves them by NBD until it is stopped.",
    footer = {"", "Example: salus nbd disk0 --zookeeper 127.0.0.1:2181 --listen 127.0.0.1:10810"})
final class NbdCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(NbdCommand.class);

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;

  @Parameters(
      paramLabel = "VOLUME",
      arity = "1..*",
      description = "Volumes to serve, each under its own name.")
  private List<String> names;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:10809",
      converter = HostPort.Converter.class,
      description = "Where NBD clients connect (default: ${DEFAULT-VALUE}).")
  private HostPort listen;

  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description = "A Unix socket to listen on, instead of --listen.")
  private Path socket;

  @Option(
      names = "--metrics",
      paramLabel = "HOST:PORT",
      converter = HostPort.Converter.class,
      description =
          "Serve metrics to Prometheus at http://HOST:PORT/metrics: requests by command, bytes, times, connections, errors. Anybody who reaches the port can read them. Default: none.")
  private HostPort metrics;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      description =
          "Log to FILE instead of the error stream, and more. A new file begins after 1 MB, and the last three are kept. Default: warnings go to the error stream.")
  private Path log;

  @Option(
      names = "--last-mount",
      paramLabel = "FILE",
      description =
          "Keep in FILE which volume was mounted last, and what was acknowledged. If the file is there, the volume must be that one, nobody else may have mounted it since, and it must have all that was acknowledged; otherwise the bridge ends. So clients of an earlier bridge that reconnect find what they have left. FILE must survive a restart of the machine; delete it only when no client holds anything. It belongs to one bridge: never copy it. If it cannot be written, the bridge ends, and its clients wait for the next one. For one volume.")
  private Path lastMount;

  @Option(
      names = "--require-last-mount",
      description = "End if the FILE of --last-mount is not there.")
  private boolean requireLastMount;

  @Option(
      names = "--force",
      description =
          "Take volumes over from clients that have them mounted. The writes of those clients then fail.")
  private boolean force;

  @Option(
      names = "--one-client",
      description =
          "Each volume is for one client with one connection, as a device of 'salus map'. A new connection ends those before it, and is served once what they had begun is answered. So nothing that an old connection still holds is performed after what came later. 'nbdinfo' counts as a client.")
  private boolean oneClient;

  private ExportedVolumes volumes;
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (log == null) {
      Logging.quiet(salus.verbose());
    } else {
      Logging.toSmallFile(log, salus.verbose());
    }
    if (lastMount != null && names.size() > 1) {
      throw new ParameterException(spec.commandLine(), "--last-mount is for one volume");
    }
    if (requireLastMount && lastMount == null) {
      throw new ParameterException(spec.commandLine(), "--require-last-mount is for --last-mount");
    }
    if (socket == null) {
      listen.requireFree("--listen");
    } else {
      NbdServer.requireUsable(socket);
    }
    if (metrics != null) {
      metrics.requireFree("--metrics");
    }
    if (lastMount == null) {
      serve((LastMountFile) null);
    } else {
      try (LastMountFile last = new LastMountFile(lastMount, requireLastMount)) {
        serve(last);
      }
    }
    return 0;
  }

  private void serve(LastMountFile last) throws IOException, InterruptedException {
    volumes = new ExportedVolumes(oneClient);
    Metrics counted = new Metrics();
    NbdMeter meter = new NbdMeter(counted);
    try (SalusClient client = cluster.connect();
        ExportedVolumes open = volumes) {
      for (String name : names) {
        open(client, name, last);
        meter.volume(name, open);
      }
      try (NbdServer server =
              socket == null
                  ? NbdServer.tcp(listen.address(), volumes, meter)
                  : NbdServer.unix(socket, volumes, meter);
          MetricsServer shown = serve(counted)) {
        Runtime.getRuntime()
            .addShutdownHook(new Thread(() -> finish(server, client, last), "salus-stop"));
        if (last != null) {
          last.whenItFails(why -> leaveToTheNext(server, why));
        }
        PrintWriter out = spec.commandLine().getOut();
        for (String name : names) {
          out.println("ready " + uri(server, name));
        }
        if (shown != null) {
          out.println("metrics http://" + metrics.host() + ":" + shown.port() + "/metrics");
        }
        if (last != null && last.find().isEmpty()) {
          out.println(lastMount + " was made anew: no client of an earlier bridge may be left");
        }
        Output.flush(out);
        stopped.await();
      }
    }
  }

  /**
   * Ends this bridge as if it were killed: its clients get no answers, so they ask the next one,
   * which goes on from what was kept. Does not wait.
   */
  private void leaveToTheNext(NbdServer server, IOException why) {
    server.drop();
    Salus.say(
        spec.commandLine().getErr(),
        why.getMessage() + "; see to that, and start the bridge again: its clients wait for it");
    new Thread(() -> System.exit(Salus.FAILED), "salus-end").start(); // runs finish()
  }

  private void open(SalusClient client, String name, LastMount last) throws IOException {
    try {
      if (last == null) {
        volumes.open(client, name, force, address());
      } else {
        volumes.goOn(client, name, force, address(), last);
      }
    } catch (SalusException.Fenced | SalusException.NotFound | SalusException.Integrity other) {
      if (last == null || last.find().isEmpty()) {
        throw other;
      }
      throw new IOException(
          other.getMessage()
              + "; clients of the earlier bridge would find another volume than they have left. End"
              + " these clients, then delete "
              + lastMount,
          other);
    }
  }

  /** Serves the metrics, or returns null if nobody wants them. */
  private MetricsServer serve(Metrics counted) throws IOException {
    return metrics == null ? null : MetricsServer.start(metrics.address(), counted);
  }

  private String uri(NbdServer server, String name) {
    return socket == null
        ? "nbd://" + listen.host() + ":" + server.port() + "/" + name
        : "nbd+unix:///" + name + "?socket=" + encoded(socket.toAbsolutePath());
  }

  /** A path as it may stand in the query of a URI. */
  private static String encoded(Path path) {
    return path.toUri().getRawPath().replace("&", "%26");
  }

  private String address() {
    return socket != null ? "nbd at " + socket.toAbsolutePath() : ExportedVolumes.address(listen);
  }

  /**
   * Gives the volumes' leases back while the process ends. Clients are let go first: a volume that
   * is closed would answer their requests with an error.
   */
  private void finish(NbdServer server, SalusClient client, LastMountFile last) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(DaemonProcess.ENDING);
    out.flush();
    server.end(ExportedVolumes.LET_GO);
    volumes.closeSoon(client);
    if (last != null) {
      end(last);
    }
    stopped.countDown();
  }

  private static void end(LastMountFile last) {
    try {
      last.close();
    } catch (IOException failed) {
      LOG.warn("the last mount may not be on disk", failed);
    }
  }
}
