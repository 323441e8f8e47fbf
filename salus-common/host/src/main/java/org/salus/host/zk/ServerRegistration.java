package org.salus.host.zk;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a server's ephemeral record in place until closed. Thread-safe. */
final class ServerRegistration implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(ServerRegistration.class);

  private final ClusterStore store;
  private final String node;
  private final ServerRecord record;
  private Watch watch;
  private boolean closed;

  ServerRegistration(ClusterStore store, String node, ServerRecord record) {
    this.store = store;
    this.node = node;
    this.record = record;
  }

  void ensure() throws ClusterStoreException {
    put();
    watch =
        store.watch(
            ClusterStore.serverPath(node), () -> put() ? System.nanoTime() : 0L, changed -> {});
  }

  @Override
  public synchronized void close() {
    closed = true;
    watch.close();
    try {
      store.removeServer(node);
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
    boolean ours = store.putServer(node, record);
    if (!ours) {
      LOG.warn("{} is registered by a server that started later; leaving it to that one", node);
    }
    return ours;
  }
}
