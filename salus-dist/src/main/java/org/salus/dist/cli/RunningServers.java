package org.salus.dist.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.salus.dist.install.Plan;
import org.salus.host.config.ClientSettings;
import org.salus.host.zk.ClusterStore;

/** Whether servers of Salus run in the cluster of some files of settings. */
final class RunningServers {
  private static final Duration SESSION = Duration.ofSeconds(10);

  private RunningServers() {}

  /**
   * Checks that there are none, for versions of Salus do not work together.
   *
   * @param say takes a sentence if that is not known
   * @throws IOException when some run
   */
  static void requireNone(List<Plan> plans, Consumer<String> say) throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (Plan plan : plans) {
      settings.putAll(ClusterOptions.clients(plan.settings()));
    }
    Set<String> nodes;
    try {
      nodes = nodes(ClientSettings.from(settings));
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
