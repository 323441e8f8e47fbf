package org.salus.dist.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.salus.host.config.ClientSettings;
import org.salus.host.zk.ClusterStore;

/** Whether servers of Salus run in the cluster of some files of settings. */
final class RunningServers {
  private static final Duration SESSION = Duration.ofSeconds(10);

  private RunningServers() {}

  /**
   * Checks that there are none, for versions of Salus do not work together.
   *
   * @param cluster the settings of daemons of the cluster
   * @param say takes a sentence if that is not known
   * @throws IOException when some run
   */
  static void requireNone(Map<String, String> cluster, Consumer<String> say) throws IOException {
    Set<String> nodes;
    try {
      nodes = nodes(ClientSettings.from(ClusterOptions.clients(cluster)));
    } catch (IOException | IllegalArgumentException unknown) {
      say.accept("whether servers of Salus run is not known: " + unknown.getMessage());
      return;
    }
    if (!nodes.isEmpty()) {
      throw new IOException(
          "versions of Salus do not work together, and these servers run: "
              + String.join(", ", nodes)
              + "; stop all clients and all daemons of HBase and HDFS first, then do this on all"
              + " hosts, then start them");
    }
  }

  private static Set<String> nodes(ClientSettings client) throws IOException {
    try (ClusterStore store =
        ClusterStore.connect(client.zookeeperQuorum(), client.connectTimeout(), SESSION)) {
      return store.servers().keySet();
    }
  }
}
