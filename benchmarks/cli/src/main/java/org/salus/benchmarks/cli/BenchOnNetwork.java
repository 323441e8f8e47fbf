package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.salus.benchmarks.figures.cluster.NetworkPlacement;
import org.salus.benchmarks.figures.network.NetworkMaker;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;
import org.salus.dist.hbase.Placement;
import picocli.CommandLine.Option;

/**
 * A figure on machines with a slow network. The command makes the machines and runs itself again on
 * the client's.
 */
abstract class BenchOnNetwork extends BenchFigure {
  private static final String NETWORK = "--network";

  @Option(
      names = NETWORK,
      hidden = true,
      description = "This process is on the client's machine of this network.")
  private String network;

  /** The machines of {@link NetworkPlacement} to make. */
  abstract Map<String, LinkedMachine> all();

  /** Megabits a second of all machines together. */
  abstract int shared();

  /** The machines that were made. */
  final NetworkPlacement machines() {
    return new NetworkPlacement(network);
  }

  @Override
  public final Integer call() throws IOException {
    return network == null ? makeMachines() : super.call();
  }

  private int makeMachines() throws IOException {
    SalusProcess client = new SalusProcess();
    try (NetworkMaker machines = new NetworkMaker(shared(), all())) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(client, machines), "salus-stop"));
      say("making " + all().size() + " machines");
      String prefix = machines.make().prefix();
      List<String> arguments =
          new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
      arguments.addAll(List.of(NETWORK, prefix));
      return client
          .start(
              new NetworkPlacement(prefix).onClient(), arguments, ProcessBuilder.Redirect.INHERIT)
          .waitFor();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** Stops the client and removes the machines, at the end or after a signal. */
  private void stop(SalusProcess client, NetworkMaker machines) {
    client.stop();
    try {
      machines.close();
    } catch (IOException failed) {
      say("cannot remove the machines: " + failed.getMessage());
    }
  }

  @Override
  final Placement placement() {
    return machines();
  }
}
