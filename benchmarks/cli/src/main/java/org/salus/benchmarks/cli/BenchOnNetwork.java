package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.network.NetworkMaker;
import org.salus.benchmarks.figures.network.NetworkMaker.Host;
import org.salus.dist.hbase.Placement;
import picocli.CommandLine.Option;

/** A figure on hosts of their own: it makes the hosts, and runs itself again on the client's. */
abstract class BenchOnNetwork extends BenchFigure {
  private static final String NETWORK = "--network";

  @Option(
      names = NETWORK,
      hidden = true,
      description = "This process is on the client's host of this network.")
  private String network;

  /** What is made, of {@link NetworkPlacement}. */
  abstract Map<String, Host> all();

  /** Megabits a second of all hosts together. */
  abstract int shared();

  /** Those that were made. */
  final NetworkPlacement hosts() {
    return new NetworkPlacement(network);
  }

  @Override
  public final Integer call() throws IOException {
    return network == null ? makeHosts() : super.call();
  }

  private int makeHosts() throws IOException {
    SalusProcess client = new SalusProcess();
    try (NetworkMaker hosts = new NetworkMaker(shared(), all())) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(client, hosts), "salus-stop"));
      say("making " + all().size() + " hosts");
      String prefix = hosts.make().prefix();
      List<String> arguments =
          new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
      arguments.addAll(List.of(NETWORK, prefix));
      return client
          .start(new NetworkPlacement(prefix).onClient(), arguments, ProcessBuilder.Redirect.INHERIT)
          .waitFor();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** After a signal, as at the end. */
  private void stop(SalusProcess client, NetworkMaker hosts) {
    client.stop();
    try {
      hosts.close();
    } catch (IOException failed) {
      say("cannot remove the hosts: " + failed.getMessage());
    }
  }

  @Override
  final Placement placement() {
    return hosts();
  }
}
