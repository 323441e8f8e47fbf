package org.salus.dist;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.salus.client.SalusClient;
import picocli.CommandLine.Option;

/** Which cluster a command works on; for a command as a mixin. */
final class ClusterOptions {
  @Option(names = "--zookeeper", paramLabel = "HOST:PORT[,...]", description = "The cluster's ZooKeeper.")
  private String zookeeper;

  @Option(names = "--data", paramLabel = "DIR", defaultValue = "./salus-data",
      description = "Without --zookeeper: the directory of a running 'salus standalone', which knows it (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(names = "-D", paramLabel = "KEY=VALUE", description = "A setting of the client, see docs/configuration.md.")
  private Map<String, String> settings = new HashMap<>();

  SalusClient connect() throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.put("salus.zookeeper.quorum", zookeeper != null ? zookeeper : DataDirectory.zookeeper(data));
    return SalusClient.connect(all);
  }
}
