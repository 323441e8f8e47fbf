package org.salus.host.zk;

import java.io.IOException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a server's ephemeral record in place until closed. Thread-safe. */
final class ServerRegistration implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(ServerRegistration.class);

  private final ClusterNodes nodes;
  private final String node;
  private final ServerRecord record;
  private final byte[] secret;
  private Watch watch;
  private boolean closed;

  ServerRegistration(ClusterNodes nodes, String node, ServerRecord record, byte[] secret) {
    this.nodes = nodes;
    this.node = node;
    this.record = record;
    this.secret = secret;
  }

  void begin() throws ClusterStoreException {
    put();
    watch = nodes.watch(path(node), () -> put() ? System.nanoTime() : 0L, changed -> {});
  }

  @Override
  public synchronized void close() {
    closed = true;
    watch.close();
    try {
      remove();
    } catch (ClusterStoreException failed) {
      LOG.warn("the registration of {} ends only with its session: {}", node, failed.getMessage());
    }
  }

  /**
   * Puts the record in place, unless closed: a late renewal must not bring a removed record back.
   */
  private synchronized boolean put() throws ClusterStoreException {
    if (closed) {
      return false;
    }
    boolean ours = putUnlessLater();
    if (!ours) {
      LOG.warn("{} is registered by a server that started later; leaving it to that one", node);
    }
    return ours;
  }

  /**
   * Puts {@code record} under the node's name unless a server with this secret that started later
   * has put its own there. Returns whether it is in place.
   */
  private boolean putUnlessLater() throws ClusterStoreException {
    String path = path(node);
    return ClusterNodes.run(
        "server " + node,
        () -> {
          nodes.ensure("/servers");
          Stat stat = nodes.client().checkExists().forPath(path);
          if (stat == null) {
            nodes
                .client()
                .create()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(path, ClusterNodes.json(record));
            return true;
          }
          if (nodes.owns(path)) {
            return true;
          }
          if (isLater(nodes.client().getData().forPath(path))) {
            return false;
          }
          nodes
              .client()
              .transaction()
              .forOperations(
                  nodes
                      .client()
                      .transactionOp()
                      .delete()
                      .withVersion(stat.getVersion())
                      .forPath(path),
                  nodes
                      .client()
                      .transactionOp()
                      .create()
                      .withMode(CreateMode.EPHEMERAL)
                      .forPath(path, ClusterNodes.json(record)));
          return true;
        });
  }

  /** Anybody may have written what is there: only what is signed counts. */
  private boolean isLater(byte[] there) throws IOException {
    ServerRecord other = ServerRecord.parse(there);
    return other != null && other.isSigned(node, secret) && other.startCode() > record.startCode();
  }

  private void remove() throws ClusterStoreException {
    ClusterNodes.run(
        "server " + node,
        () -> {
          if (nodes.owns(path(node))) {
            nodes.client().delete().forPath(path(node));
          }
          return null;
        });
  }

  static String path(String node) {
    return "/servers/" + ClusterNodes.checked(node);
  }
}
