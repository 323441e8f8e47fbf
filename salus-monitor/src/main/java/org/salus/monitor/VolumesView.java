package org.salus.monitor;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.salus.client.SalusException;
import org.salus.client.VolumeInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes the cluster for a page, by a client that it connects when somebody looks first. Many
 * who look within two seconds see the same, so that a page costs the members little. At most one
 * thread waits for members; the others see what was seen last. Thread-safe.
 */
public final class VolumesView implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VolumesView.class);
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final String server;
  private final String role;

  /** The node whose members are shown, or null for all. */
  private final String only;

  private final Supplier<Cluster> connect;
  private final LongSupplier nanos;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Cluster cluster;
  private volatile Seen seen;
  private volatile boolean closed;

  /** A connection to the cluster. A closed one answers nothing, and may be closed again. */
  public interface Cluster extends AutoCloseable {
    /** Describes the volumes. May fail with a {@link SalusException}. */
    List<VolumeInfo> infos();

    @Override
    void close();
  }

  private record Seen(ClusterState state, long at) {}

  /**
   * @param role what the daemon is, for people
   * @param isServer whether only what has members on this server is shown
   * @param connect connects to the cluster; may fail with a {@link SalusException}
   */
  public VolumesView(String server, String role, boolean isServer, Supplier<Cluster> connect) {
    this(server, role, isServer, connect, System::nanoTime);
  }

  VolumesView(
      String server, String role, boolean isServer, Supplier<Cluster> connect, LongSupplier nanos) {
    this.server = server;
    this.role = role;
    this.only = isServer ? server : null;
    this.connect = connect;
    this.nanos = nanos;
  }

  /**
   * Looks at the cluster. Waits for the members' answers, some seconds at most, unless another
   * thread does so.
   *
   * @return what was seen last; empty while the first look is under way
   */
  public Optional<ClusterState> look() {
    Seen last = seen;
    boolean isOld = last == null || nanos.getAsLong() - last.at() > FRESH_NANOS;
    if (isOld && asking.compareAndSet(false, true)) {
      try {
        ClusterState all = ask();
        last = new Seen(only == null ? all : all.of(only), nanos.getAsLong());
        seen = last;
      } finally {
        asking.set(false);
      }
    }
    return Optional.ofNullable(last).map(Seen::state);
  }

  private ClusterState ask() {
    if (closed) {
      return unknown("this server is ending");
    }
    try {
      return ClusterState.of(server, role, Instant.now(), connected().infos());
    } catch (SalusException failed) {
      return unknown(failed.getMessage());
    } catch (RuntimeException bug) {
      LOG.error("BUG: the volumes cannot be shown", bug);
      return unknown(bug.toString());
    }
  }

  private ClusterState unknown(String problem) {
    return ClusterState.unknown(server, role, Instant.now(), problem);
  }

  private Cluster connected() {
    Cluster now = cluster;
    if (now == null) {
      now = connect.get();
      cluster = now;
      if (closed) { // close() may have come too early to see it
        now.close();
      }
    }
    return now;
  }

  /** Closes the connection if nobody has looked for some minutes. The next look makes another. */
  public void rest() {
    Seen last = seen;
    boolean isIdle = last != null && nanos.getAsLong() - last.at() > IDLE_NANOS;
    if (isIdle && asking.compareAndSet(false, true)) {
      try {
        Cluster now = cluster;
        cluster = null;
        if (now != null) {
          now.close();
        }
      } finally {
        asking.set(false);
      }
    }
  }

  /** Does not wait for a look that is under way. */
  @Override
  public void close() {
    closed = true;
    Cluster now = cluster;
    if (now != null) {
      now.close();
    }
  }
}
