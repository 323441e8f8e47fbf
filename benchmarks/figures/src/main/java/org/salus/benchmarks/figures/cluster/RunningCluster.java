package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.watch.Spent;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.hbase.StockSettings;
import org.salus.host.config.ClientSettings;

/**
 * A cluster that runs already and goes on. What is made on it is removed at the end. For one
 * thread.
 */
final class RunningCluster extends FigureCluster {
  private final Map<String, String> client;

  /**
   * @param client settings of a client of Salus, with {@link ClientSettings#QUORUM}
   * @param seed of all contents
   * @param blocks of each store
   */
  RunningCluster(Map<String, String> client, long seed, int blocks) {
    super(
        "bench-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX) + "-",
        seed,
        blocks);
    this.client = Map.copyOf(client);
  }

  @Override
  public void start(Consumer<String> progress) {
    progress.accept("measuring the cluster of " + client.get(ClientSettings.QUORUM.key()));
  }

  @Override
  public Map<String, String> client() {
    return client;
  }

  @Override
  public Optional<Spent> spent() {
    return Optional.empty();
  }

  @Override
  List<String> servers() {
    return List.of(
        "servers: those of "
            + client.get(ClientSettings.QUORUM.key())
            + ", which ran already; the client has "
            + StockSettings.versions());
  }

  @Override
  public void close() throws IOException {
    try {
      for (BlockStoreUnderTest store : stores()) {
        store.remove();
      }
    } finally {
      super.close();
    }
  }
}
