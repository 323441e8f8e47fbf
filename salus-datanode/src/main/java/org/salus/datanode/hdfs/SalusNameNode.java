package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.metrics2.annotation.Metrics;
import org.salus.common.DurableFile;

/** A stock NameNode that changes the files of volumes only with a certificate; see {@link GuardedRpcServer}. */
@Metrics(context = "dfs")
public class SalusNameNode extends NameNode {
  static {
    Configuration.addDefaultResource("salus-hdfs.xml");
  }

  /** Starts the NameNode; {@link ChangeGuard#CLASS_KEY} names the guard. */
  public SalusNameNode(Configuration conf) throws IOException {
    super(conf);
  }

  /** As the constructor, after formatting a directory that has no name space yet. */
  public static SalusNameNode start(Configuration conf) throws IOException {
    Path names = Path.of(URI.create(conf.get("dfs.namenode.name.dir")));
    if (!Files.exists(names.resolve("current/VERSION"))) {
      // HDFS does not sync what it formats: elsewhere first, so that a power cut leaves either none or all of it.
      Path fresh = names.resolveSibling(names.getFileName() + ".new");
      Configuration elsewhere = new Configuration(conf);
      elsewhere.set("dfs.namenode.name.dir", fresh.toUri().toString());
      NameNode.format(elsewhere);
      DurableFile.move(fresh, names);
    }
    return new SalusNameNode(conf);
  }

  /** Whether nobody has stopped it. */
  public synchronized boolean isUp() {
    return !stopRequested;
  }

  @Override
  protected NameNodeRpcServer createRpcServer(Configuration conf) throws IOException {
    return new GuardedRpcServer(conf, this);
  }
}
