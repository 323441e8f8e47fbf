package org.salus.dist.system;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.salus.dist.hbase.LocalCluster;

/** The settings of a daemon of a cluster, in the file of its {@code --conf}. */
final class DaemonFile {
  private DaemonFile() {}

  private static Path path(LocalCluster cluster, String daemon) {
    return cluster.dir().resolve("conf").resolve(daemon + ".xml");
  }

  /** What is in the file. */
  static Configuration read(LocalCluster cluster, String daemon) {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(path(cluster, daemon).toUri()));
    return conf;
  }

  /** Changes a setting in the file. Returns what is in it then. */
  static Configuration set(LocalCluster cluster, String daemon, String key, String value)
      throws IOException {
    Configuration conf = read(cluster, daemon);
    conf.set(key, value);
    try (OutputStream to = Files.newOutputStream(path(cluster, daemon))) {
      conf.writeXml(to);
    }
    return conf;
  }
}
