package org.salus.host.zk;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.salus.core.Reason;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy in memory of the volumes' and servers' records, which ZooKeeper's watches keep up to date.
 * Questions never wait for ZooKeeper: they fail at once when ZooKeeper has not been heard for too
 * long. Thread-safe.
 */
public final class ClusterMirror implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMirror.class);
  private static final long BEAT_MILLIS = 1000;

  private final String quorum;
  private final Duration connect;
  private final Duration session;
  private final long mostAgeNanos;
  private final ScheduledExecutorService beats =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-mirror"));

  private final Map<String, VolumeRecord> volumes = new ConcurrentHashMap<>();
  private final Map<String, Watch> volumeWatches = new HashMap<>();
  private volatile Map<String, ServerRecord> servers = Map.of();

  /** The time until which everything is known, or null before the first reading. */
  private volatile Long heard;

  /** Whether the watches are set. Only the store's thread sets it. */
  private volatile boolean following;

  /** Only the thread of the beats uses it. */
  private ClusterStore store;

  private ClusterMirror(String quorum, Duration connect, Duration session, Duration mostAge) {
    this.quorum = quorum;
    this.connect = connect;
    this.session = session;
    this.mostAgeNanos = mostAge.toNanos();
  }

  /**
   * A mirror that connects in the background, and goes on trying.
   *
   * @param quorum ZooKeeper's servers as {@code host:port}, separated by commas
   * @param connect the longest time of one attempt to connect
   * @param session the timeout of the ZooKeeper session
   * @param mostAge the time without a word from ZooKeeper after which questions fail
   */
  public static ClusterMirror start(
      String quorum, Duration connect, Duration session, Duration mostAge) {
    ClusterMirror made = new ClusterMirror(quorum, connect, session, mostAge);
    made.beats.scheduleWithFixedDelay(made::beat, 0, BEAT_MILLIS, TimeUnit.MILLISECONDS);
    return made;
  }

  private void beat() {
    try {
      if (store == null) {
        store = ClusterStore.connect(quorum, connect, session);
      }
      ClusterStore from = store;
      if (!following) {
        from.nodes()
            .afterSync(() -> follow(from)); // what is read then is no older than the connection
      }
      long asked = System.nanoTime();
      from.nodes().afterSync(() -> heard = following ? asked : heard);
    } catch (ClusterStoreException failed) {
      LOG.warn("will try again: {}", failed.getMessage());
    } catch (RuntimeException bug) {
      LOG.error("BUG while following ZooKeeper at {}", quorum, bug);
    }
  }

  private void follow(ClusterStore from) {
    if (following) {
      return;
    }
    following = true;
    from.watchServers(now -> servers = Map.copyOf(now));
    from.watchVolumes(
        names -> {
          for (String name : names) {
            volumeWatches.computeIfAbsent(name, n -> from.watchVolume(n, now -> onVolume(n, now)));
          }
          for (String name : new TreeMap<>(volumeWatches).keySet()) {
            if (!names.contains(name)) {
              volumeWatches.remove(name).close();
              onVolume(name, Optional.empty());
            }
          }
        });
  }

  private void onVolume(String name, Optional<VolumeRecord> now) {
    now.ifPresentOrElse(v -> volumes.put(name, v), () -> volumes.remove(name));
  }

  private void requireFresh() throws ClusterStoreException.Unreachable {
    Long last = heard;
    if (last == null || System.nanoTime() - last > mostAgeNanos) {
      long millis = last == null ? -1 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last);
      throw new ClusterStoreException.Unreachable(
          Reason.zooKeeperAway(quorum, millis).words(), null);
    }
  }

  /**
   * A volume's record, or empty when there is none.
   *
   * @throws ClusterStoreException.Unreachable when ZooKeeper has not been heard for too long
   */
  public Optional<VolumeRecord> volume(String name) throws ClusterStoreException.Unreachable {
    requireFresh();
    return Optional.ofNullable(volumes.get(name));
  }

  /**
   * The registered servers by name.
   *
   * @throws ClusterStoreException.Unreachable when ZooKeeper has not been heard for too long
   */
  public Map<String, ServerRecord> servers() throws ClusterStoreException.Unreachable {
    requireFresh();
    return servers;
  }

  /** Ends the connection. Questions fail soon. */
  @Override
  public void close() {
    beats.execute(
        () -> {
          if (store != null) {
            store.close();
          }
        });
    beats.shutdown();
  }
}
