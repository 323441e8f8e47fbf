package org.salus.benchmarks.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.SizeBench;
import org.salus.benchmarks.figures.SizeBench.Scale;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code salus bench size}: volumes of 1 GiB, 1 TiB and 16 TiB. It runs itself again as a client
 * with little heap.
 */
@Command(
    name = "size",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what an operation costs in volumes of 1 GiB, 1 TiB and 16 TiB of which as many blocks are used, spread over all of each,",
      "how long a mount takes, and the memory of client ("
          + SizeBench.CLIENT_HEAP
          + " MiB of heap) and region servers ("
          + SizeBench.SERVER_HEAP
          + " MiB each), on a cluster of its own.",
      "Takes about half an hour and 30 GB of disk; --quick about five minutes and 5 GB."
    },
    footer = {"", "Example: salus bench size --quick --out results"})
final class BenchSizeCommand extends BenchFigure {
  private static final String IN_CLIENT = "--in-client";

  @Option(
      names = IN_CLIENT,
      hidden = true,
      description = "This process is the client with little heap.")
  private boolean inClient;

  @Override
  public Integer call() throws IOException {
    return inClient ? super.call() : startClient();
  }

  private int startClient() throws IOException {
    SalusProcess client = new SalusProcess();
    Runtime.getRuntime().addShutdownHook(new Thread(client::stop, "salus-stop"));
    List<String> arguments =
        new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
    arguments.add(IN_CLIENT);
    try {
      return client
          .start(
              List.of(),
              List.of("-Xmx" + SizeBench.CLIENT_HEAP + "m"),
              arguments,
              ProcessBuilder.Redirect.INHERIT)
          .waitFor();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  @Override
  String regionServerHeap() {
    return SizeBench.SERVER_HEAP + "m";
  }

  @Override
  BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return new SizeBench(cluster, quick ? Scale.QUICK : Scale.FULL, seed(progress), progress).run();
  }
}
