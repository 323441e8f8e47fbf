package org.salus.host.zk;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** The registered servers, kept up to date. Thread-safe. */
public final class ServerDirectory implements AutoCloseable {
  private final AtomicReference<Map<String, ServerRecord>> servers;
  private final Watch watch;

  private ServerDirectory(AtomicReference<Map<String, ServerRecord>> servers, Watch watch) {
    this.servers = servers;
    this.watch = watch;
  }

  /**
   * Begins to watch the servers of a cluster.
   *
   * @param changed called after each change, on the store's thread
   */
  public static ServerDirectory watch(
      ClusterStore store, Consumer<Map<String, ServerRecord>> changed) {
    AtomicReference<Map<String, ServerRecord>> servers = new AtomicReference<>(Map.of());
    return new ServerDirectory(
        servers,
        store.watchServers(
            now -> {
              servers.set(now);
              changed.accept(now);
            }));
  }

  /** The registered servers by name, sorted. */
  public Map<String, ServerRecord> servers() {
    return servers.get();
  }

  /**
   * The unresolved address of a node's data port, since a look-up may take long; null while the
   * node is not registered.
   */
  public InetSocketAddress address(String node) {
    ServerRecord s = servers.get().get(node);
    return s == null ? null : InetSocketAddress.createUnresolved(s.host(), s.port());
  }

  @Override
  public void close() {
    watch.close();
  }
}
