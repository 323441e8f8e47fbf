package org.salus.dist.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.salus.client.SalusClient;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.Setting;
import picocli.CommandLine.Option;

/** Which cluster a command works on; for a command as a mixin. */
public final class ClusterOptions {
  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[,...]",
      description = "The cluster's ZooKeeper.")
  private String zookeeper;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./salus-data",
      description =
          "Without --zookeeper and salus.zookeeper.quorum: the directory of a running 'salus standalone', which knows it (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      description = {
        "Settings of Salus in Hadoop's XML, such as salus.secret, which must be the servers' own.",
        "Without it those of a 'salus cluster' in the directory of --data."
      })
  private Path conf;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = "A setting of the client, see docs/configuration.md; wins over the file.")
  private Map<String, String> settings = new HashMap<>();

  SalusClient connect() throws IOException {
    Map<String, String> all = new HashMap<>(file());
    all.putAll(settings);
    if (zookeeper != null) {
      all.put(ClientSettings.QUORUM.key(), zookeeper);
    } else if (!all.containsKey(ClientSettings.QUORUM.key())) {
      all.put(ClientSettings.QUORUM.key(), DataDirectory.zookeeper(data));
    }
    return SalusClient.connect(all);
  }

  private Map<String, String> file() throws IOException {
    Path file = conf != null ? conf : LocalCluster.settings(data);
    if (conf == null && (zookeeper != null || !Files.exists(file))) {
      return Map.of();
    }
    return read(file);
  }

  /** What Salus' clients take from a file. */
  public static Map<String, String> read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file + "; give a file with --conf");
    }
    Configuration in = new Configuration(false);
    in.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    Map<String, String> all = new HashMap<>();
    Stream.of(ClientSettings.ALL, ClusterSettings.ALL)
        .flatMap(List::stream)
        .map(Setting::key)
        .filter(key -> in.get(key) != null)
        .forEach(key -> all.put(key, in.get(key)));
    return all;
  }
}
