package org.salus.monitor;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.VolumeInfo;

/**
 * Describes the cluster for a page, by a client that it connects when somebody looks first. Many
 * who look within two seconds see the same, so that a page costs the members little. Thread-safe.
 */
public final class VolumesView implements AutoCloseable {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final String server;
  private final String role;

  /** The node whose members are shown, or null for all. */
  private final String only;

  private final Supplier<SalusClient> connect;
  private SalusClient client;
  private ClusterState seen;
  private long seenAt;
  private boolean closed;

  /**
   * @param role what the daemon is, for people
   * @param isServer whether only what has members on this server is shown
   * @param connect connects a client; may fail with a {@link SalusException}
   */
  public VolumesView(String server, String role, boolean isServer, Supplier<SalusClient> connect) {
    this.server = server;
    this.role = role;
    this.only = isServer ? server : null;
    this.connect = connect;
  }

  /** Looks at the cluster. Waits for the members' answers, some seconds at most. */
  public synchronized ClusterState look() {
    if (seen == null || System.nanoTime() - seenAt > FRESH_NANOS) {
      ClusterState all = ask();
      seen = only == null ? all : all.of(only);
      seenAt = System.nanoTime();
    }
    return seen;
  }

  private ClusterState ask() {
    if (closed) {
      return ClusterState.unknown(server, role, Instant.now(), "this server is ending");
    }
    try {
      if (client == null) {
        client = connect.get();
      }
      List<VolumeInfo> volumes = client.infos();
      return ClusterState.of(server, role, Instant.now(), volumes);
    } catch (SalusException failed) {
      return ClusterState.unknown(server, role, Instant.now(), failed.getMessage());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (client != null) {
      client.close();
    }
  }
}
