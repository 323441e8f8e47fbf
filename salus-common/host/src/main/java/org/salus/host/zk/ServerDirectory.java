package org.salus.host.zk;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Consumer;

/** The registered servers, kept up to date. Thread-safe. */
public final class ServerDirectory implements AutoCloseable {
  private final Watch watch;
  private volatile Map<String, ServerRecord> servers = Map.of();

  /**
   * @param changed called after each change, on the store's thread
   */
  public ServerDirectory(ClusterStore store, Consumer<Map<String, ServerRecord>> changed) {
    watch =
        store.watchServers(
            now -> {
              servers = now;
              changed.accept(now);
            });
  }

  /** The registered servers by name, sorted. */
  public Map<String, ServerRecord> servers() {
    return servers;
  }

  /**
   * The unresolved address of a node's data port, since a look-up may take long; null while the
   * node is not registered.
   */
  public InetSocketAddress address(String node) {
    ServerRecord s = servers.get(node);
    return s == null ? null : InetSocketAddress.createUnresolved(s.host(), s.port());
  }

  @Override
  public void close() {
    watch.close();
  }
}
