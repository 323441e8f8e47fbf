package org.salus.datanode.hdfs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.util.ServicePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guard for a stock NameNode (§4.2.3). Name it in {@code dfs.namenode.plugins}. It puts a
 * {@link GuardedRpcServer} in the place of the NameNode's own, for calls by RPC and for the
 * NameNode's web server and fsck, which call it directly. HDFS starts plugins before it takes
 * calls: until then every call is answered that the NameNode has not started.
 *
 * <p>HDFS would go on without a plugin that fails, so this one ends the NameNode then.
 */
public final class GuardPlugin implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(GuardPlugin.class);

  /** Less would have HDFS recover leases of volumes' files. */
  private static final long SHORTEST_LEASE_SECONDS = TimeUnit.DAYS.toSeconds(3650);

  private Configuration conf;

  @Override
  public void start(Object service) {
    try {
      start((NameNode) service);
    } catch (Throwable failed) { // HDFS would go on after any of them
      LOG.error("the guard of volumes does not start", failed);
      ExitUtil.terminate(
          1,
          "the NameNode ends, because Salus' guard does not start and volumes would be without it: "
              + failed.getMessage());
    }
  }

  private void start(NameNode nameNode) throws IOException, ReflectiveOperationException {
    if (nameNode.getRpcServer() instanceof GuardedRpcServer) {
      return; // it is a SalusNameNode
    }
    requireLongLeases(new Configuration()); // HDFS has read it from its default resources, too
    if (nameNode.getRpcServer().getClass() != NameNodeRpcServer.class) {
      throw new IOException(
          "its calls are taken by "
              + nameNode.getRpcServer().getClass().getName()
              + ", which Salus does not know; take the plugin that makes it out of "
              + DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY);
    }
    List<String> unknown = GuardedMethods.unknown();
    if (!unknown.isEmpty()) {
      throw new IOException(
          "this HDFS can be changed in ways that Salus does not know: " + unknown);
    }
    conf = nameNode.getConf();
    Field field = NameNode.class.getDeclaredField("rpcServer");
    field.setAccessible(true);
    GuardedRpcServer guarded =
        GuardedRpcServer.around((NameNodeRpcServer) field.get(nameNode), conf);
    field.set(nameNode, guarded);
    guarded.takeCalls(conf);
    LOG.info("the NameNode guards {}", GuardedPaths.ROOT);
  }

  static void requireLongLeases(Configuration conf) throws IOException {
    long seconds =
        conf.getLong(
            DFSConfigKeys.DFS_LEASE_HARDLIMIT_KEY, DFSConfigKeys.DFS_LEASE_HARDLIMIT_DEFAULT);
    if (seconds < SHORTEST_LEASE_SECONDS) {
      throw new IOException(
          DFSConfigKeys.DFS_LEASE_HARDLIMIT_KEY
              + " is "
              + seconds
              + ", so HDFS would cut volumes' files that are open longer; set it in hdfs-site.xml"
              + " to 315360000");
    }
  }

  @Override
  public void stop() {
    if (conf != null) {
      ChangeGuards.close(conf);
    }
  }

  @Override
  public void close() {
    stop();
  }
}
