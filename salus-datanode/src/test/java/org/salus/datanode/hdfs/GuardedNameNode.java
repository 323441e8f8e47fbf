package org.salus.datanode.hdfs;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.salus.datanode.hdfs.replica.TestHdfs;

/** The ways in which a NameNode gets its guard. */
enum GuardedNameNode {
  /** As {@code salus daemon namenode} starts it. */
  OWN {
    @Override
    NameNode start(Configuration conf) throws IOException {
      return SalusNameNode.start(conf);
    }
  },
  /** A stock NameNode with the plugin. */
  STOCK {
    @Override
    NameNode start(Configuration conf) throws IOException {
      conf.set(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, GuardPlugin.class.getName());
      return stock(conf);
    }
  };

  abstract NameNode start(Configuration conf) throws IOException;

  TestHdfs start(Path dir, int dataNodes) throws IOException {
    return start(dir, dataNodes, new Configuration());
  }

  /**
   * @param base more settings
   */
  TestHdfs start(Path dir, int dataNodes, Configuration base) throws IOException {
    return new TestHdfs(
        dir, dataNodes, base, (d, n, conf) -> EmbeddedHdfs.start(d, n, conf, this::start));
  }

  /** Formats and starts a stock NameNode, with what its hdfs-site.xml would have. */
  static NameNode stock(Configuration conf) throws IOException {
    Configuration.addDefaultResource("salus-hdfs.xml");
    NameNode.format(conf);
    return new NameNode(conf);
  }
}
