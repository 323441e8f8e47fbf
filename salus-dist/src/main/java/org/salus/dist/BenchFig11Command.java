package org.salus.dist;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.salus.dist.bench.BenchResult;
import org.salus.dist.bench.figures.Fig11Bench;
import org.salus.dist.bench.figures.Fig11Bench.Extent;
import org.salus.dist.bench.figures.NetworkHosts;
import org.salus.dist.bench.hosts.HostsOnMachine;
import org.salus.dist.bench.hosts.HostsOnMachine.Caps;
import org.salus.dist.cluster.LocalCluster;
import org.salus.dist.cluster.Placement;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code salus bench fig11}: writes over a network that is the limit; it makes the hosts, and runs itself again on the client's. */
@Command(name = "fig11", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Repeats the paper's Figure 11, sequential writes to three servers whose network is the limit, with stock HBase beside Salus,",
        "and counts the bytes that go over it. Each host is a network namespace of this machine, which needs root and iproute2.",
        "Takes about an hour and up to 30 GB of disk; --quick about eight minutes and 10 GB."},
    footer = {"", "Example: sudo salus bench fig11 --quick --out results"})
final class BenchFig11Command extends BenchFigure {
  private static final String NETWORK = "--network";

  @Option(names = "--shared", paramLabel = "MBIT", defaultValue = "240",
      description = "Megabits a second of all hosts together (default: ${DEFAULT-VALUE}; the paper's 1200 are more than a small machine fills).")
  private int shared;

  @Option(names = "--link", paramLabel = "MBIT", defaultValue = "400",
      description = "Megabits a second of each host in each direction (default: ${DEFAULT-VALUE}; the paper's: 2000).")
  private int link;

  @Option(names = NETWORK, hidden = true, description = "This process is on the client's host of this network.")
  private String network;

  @Override
  public Integer call() throws IOException {
    return network == null ? makeHosts() : super.call();
  }

  private int makeHosts() throws IOException {
    SalusProcess client = new SalusProcess();
    try (HostsOnMachine hosts = new HostsOnMachine(new Caps(link, shared), NetworkHosts.all())) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(client, hosts), "salus-stop"));
      say("making " + NetworkHosts.all().size() + " hosts");
      String prefix = hosts.make().prefix();
      List<String> arguments = new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
      arguments.addAll(List.of(NETWORK, prefix));
      return client.start(new NetworkHosts(prefix).onClient(), arguments, ProcessBuilder.Redirect.INHERIT).waitFor();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** After a signal, as at the end. */
  private void stop(SalusProcess client, HostsOnMachine hosts) {
    client.stop();
    try {
      hosts.close();
    } catch (IOException failed) {
      say("cannot remove the hosts: " + failed.getMessage());
    }
  }

  @Override
  Placement placement() {
    return new NetworkHosts(network);
  }

  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress) throws IOException {
    return new Fig11Bench(cluster, new NetworkHosts(network), new Caps(link, shared), quick ? Extent.QUICK : Extent.FULL, seed(progress), progress).run();
  }
}
