package org.salus.datanode.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.metrics2.annotation.Metrics;
import org.salus.host.DurableFile;

/**
 * A stock NameNode, except that it changes volumes' files only with a certificate (§4.2.3); see
 * {@link GuardedRpcServer}.
 */
@Metrics(context = "dfs")
public class SalusNameNode extends NameNode {
  static {
    Configuration.addDefaultResource("salus-hdfs.xml");
  }

  /** Starts the NameNode; {@link ChangeGuard#CLASS_KEY} names the guard. */
  public SalusNameNode(Configuration conf) throws IOException {
    super(conf);
  }

  /** Starts the NameNode, after formatting its directories if none has a name space yet. */
  public static SalusNameNode start(Configuration conf) throws IOException {
    List<Path> names = FSNamesystem.getNamespaceDirs(conf).stream().map(Path::of).toList();
    if (names.stream().noneMatch(n -> Files.exists(n.resolve("current/VERSION")))) {
      // HDFS does not sync what it formats. So this formats elsewhere and then moves the result:
      // after a power cut each directory is either absent or whole.
      Configuration elsewhere = new Configuration(conf);
      elsewhere.set(
          "dfs.namenode.name.dir",
          names.stream().map(n -> fresh(n).toUri().toString()).collect(Collectors.joining(",")));
      try {
        NameNode.format(elsewhere);
      } finally {
        ChangeGuards.close(elsewhere); // the placement of replicas has made one
      }
      for (Path n : names) {
        DurableFile.move(fresh(n), n);
      }
    }
    return new SalusNameNode(conf);
  }

  private static Path fresh(Path names) {
    return names.resolveSibling(names.getFileName() + ".new");
  }

  /** Whether the NameNode was not stopped. */
  public synchronized boolean isUp() {
    return !stopRequested;
  }

  @Override
  public void stop() {
    super.stop();
    ChangeGuards.close(getConf());
  }

  @Override
  protected NameNodeRpcServer createRpcServer(Configuration conf) throws IOException {
    return new GuardedRpcServer(conf, this);
  }
}
