package org.salus.dist.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.salus.client.SalusClient;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.data.SettingsFile;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.Quorum;
import org.salus.host.config.Setting;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say which cluster a command works on, as a mixin. */
public final class ClusterOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[,...]",
      description = "The servers of the cluster's ZooKeeper.")
  private String zookeeper;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./salus-data",
      description =
          "The directory of a 'salus standalone' or 'salus cluster', which knows its ZooKeeper. Used when neither --zookeeper nor salus.zookeeper.quorum is given (default: ${DEFAULT-VALUE}).")
  private Path data;

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      description = {
        "A file of settings in Hadoop's XML. Its salus.secret must be that of the servers.",
        "Without this option and without --zookeeper, the command uses the settings of the 'salus cluster' in the directory of --data."
      })
  private Path conf;

  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the client; docs/configuration.md lists them. It overrides the file of --conf.")
  private Map<String, String> settings = new HashMap<>();

  SalusClient connect() throws IOException {
    return SalusClient.connect(settings());
  }

  /** The settings of a client of the cluster, with its ZooKeeper. */
  Map<String, String> settings() throws IOException {
    Map<String, String> all = clients(allSettings());
    all.putAll(settings);
    if (zookeeper != null) {
      all.put(ClientSettings.QUORUM.key(), zookeeper);
    } else if (!all.containsKey(ClientSettings.QUORUM.key())) {
      all.put(ClientSettings.QUORUM.key(), DataDirectory.zookeeper(data));
    }
    requireQuorum(all.get(ClientSettings.QUORUM.key()));
    return all;
  }

  /** These options as words for another process, which may run in another directory. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    if (has("--data") || zookeeper == null && conf == null) {
      words.addAll(List.of("--data", data.toAbsolutePath().normalize().toString()));
    }
    if (zookeeper != null) {
      words.addAll(List.of("--zookeeper", zookeeper));
    }
    if (conf != null) {
      words.addAll(List.of("--conf", conf.toAbsolutePath().normalize().toString()));
    }
    new TreeMap<>(settings).forEach((key, value) -> words.addAll(List.of("-D", key + "=" + value)));
    return words;
  }

  private boolean has(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  /**
   * Refuses options that mean something else in another directory.
   *
   * @throws IllegalArgumentException with the way out
   */
  void requireAbsolute() {
    for (Path path :
        Stream.of(conf, has("--data") ? data : null).filter(Objects::nonNull).toList()) {
      if (!path.isAbsolute()) {
        throw new IllegalArgumentException("'" + path + "': write the whole path, from /");
      }
    }
    if (!has("--data")
        && conf == null
        && zookeeper == null
        && !settings.containsKey(ClientSettings.QUORUM.key())) {
      throw new IllegalArgumentException("say which cluster: --conf, --zookeeper or --data");
    }
  }

  /** Whether this is a 'salus standalone', by its directory. That of a cluster has files. */
  boolean isStandalone() {
    return conf == null
        && zookeeper == null
        && !settings.containsKey(ClientSettings.QUORUM.key())
        && !Files.exists(DataDirectory.settings(data));
  }

  /** The settings of the file and the options, those of Hadoop and HBase among them. */
  Map<String, String> allSettings() throws IOException {
    Map<String, String> all = new HashMap<>(file());
    all.putAll(settings);
    return all;
  }

  /**
   * Refuses unknown host names at once. Later they would look like a server that does not answer.
   */
  private void requireQuorum(String quorum) throws IOException {
    try {
      Quorum.parse(quorum)
          .requireKnown(zookeeper != null ? "--zookeeper" : ClientSettings.QUORUM.key());
    } catch (IllegalArgumentException nonsense) {
      throw new ParameterException(spec.commandLine(), nonsense.getMessage(), nonsense);
    }
  }

  private Map<String, String> file() throws IOException {
    Path file = conf != null ? conf : DataDirectory.settings(data);
    if (conf == null && (zookeeper != null || !Files.exists(file))) {
      return Map.of();
    }
    return SettingsFile.read(file);
  }

  /** Reads a file in Hadoop's XML. Returns only the settings of clients. */
  public static Map<String, String> read(Path file) throws IOException {
    return clients(SettingsFile.read(file));
  }

  /** Those of settings that clients use. */
  static Map<String, String> clients(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.keySet()
        .retainAll(
            Stream.of(ClientSettings.ALL, ClusterSettings.ALL)
                .flatMap(List::stream)
                .map(Setting::key)
                .toList());
    return all;
  }
}
