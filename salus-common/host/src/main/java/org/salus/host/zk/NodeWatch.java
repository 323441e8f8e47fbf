package org.salus.host.zk;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a state again whenever its node or the node's children change, or the connection returns.
 * Calls back when the state differs from the last reading. Each reading arms the watches first, so
 * that no change is missed. Thread-safe.
 */
final class NodeWatch<T> implements Watch {
  /** Reads the watched state. */
  @FunctionalInterface
  interface Read<T> {
    T read() throws ClusterStoreException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
  private static final long RETRY_MILLIS = 500;

  private final CuratorFramework client;
  private final ScheduledExecutorService events;
  private final String path;
  private final Read<T> read;

  /**
   * Null once closed. ZooKeeper's client keeps this watch until the node changes; without the null
   * it would keep the callback's objects, too.
   */
  private volatile Callback<T> callback;

  private final CuratorWatcher watcher = event -> refreshSoon();
  private final ConnectionStateListener connection =
      (framework, state) -> {
        if (state == ConnectionState.RECONNECTED) {
          refreshSoon();
        }
      };
  private T last;
  private volatile boolean closed;

  private NodeWatch(
      CuratorFramework client,
      ScheduledExecutorService events,
      String path,
      Read<T> read,
      Callback<T> callback) {
    this.client = client;
    this.events = events;
    this.path = path;
    this.read = read;
    this.callback = callback;
  }

  static <T> NodeWatch<T> start(
      CuratorFramework client,
      ScheduledExecutorService events,
      String path,
      Read<T> read,
      Callback<T> callback) {
    NodeWatch<T> watch = new NodeWatch<>(client, events, path, read, callback);
    client.getConnectionStateListenable().addListener(watch.connection);
    watch.refreshSoon();
    return watch;
  }

  @Override
  public void close() {
    closed = true;
    callback = null;
    client.getConnectionStateListenable().removeListener(connection);
  }

  private void refreshSoon() {
    if (!closed && !events.isShutdown()) {
      try {
        events.execute(this::refresh);
      } catch (RejectedExecutionException stopped) {
        closed = true;
      }
    }
  }

  private void refresh() {
    if (closed) {
      return;
    }
    try {
      ClusterNodes.run(
          path,
          () -> {
            if (client.checkExists().usingWatcher(watcher).forPath(path) != null) {
              client.getChildren().usingWatcher(watcher).forPath(path);
            }
            return null;
          });
      T now = read.read();
      Callback<T> tell = callback;
      if (!Objects.equals(now, last) && tell != null) {
        last = null; // tell it again if the callback throws
        tell.accept(now);
        last = now;
      }
    } catch (ClusterStoreException failed) {
      if (!events.isShutdown()) {
        LOG.warn("cannot read {}; will try again: {}", path, failed.getMessage());
        events.schedule(this::refresh, RETRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (RuntimeException bug) {
      if (client.getState() == CuratorFrameworkState.STOPPED) {
        return; // the store was closed at this moment
      }
      LOG.error("BUG while telling a change of {}", path, bug);
    }
  }
}
