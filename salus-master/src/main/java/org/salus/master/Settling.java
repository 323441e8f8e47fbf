package org.salus.master;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.host.DaemonThreads;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the volumes whose writers have ended without closing them (paper §4.4, phases 3 and 4).
 * It mounts such a volume as a client does, without a user: that commits the longest committable
 * prefix, and checks the volume's root. It does so some time after the writer is gone, one volume
 * after the other, and again after a failure. For one thread, which never waits.
 */
final class Settling implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Settling.class);

  /** The time without a writer after which a volume is settled, in nanoseconds. */
  static final long AFTER_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** Mounts a volume and closes it. */
  interface Mount extends AutoCloseable {
    /**
     * Blocks until it is done.
     *
     * @throws SalusException when the volume could not be mounted
     */
    void settle(String volume);

    @Override
    default void close() {}
  }

  /** Since when a volume's last mount is left behind. */
  private record Left(long mountEpoch, long since) {}

  private final Mount mount;
  private final LongSupplier nanos;
  private final Map<String, Left> left = new HashMap<>();
  private final ExecutorService worker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-settling"));

  /**
   * @param nanos the time in nanoseconds, on a clock that only goes on
   */
  Settling(Mount mount, LongSupplier nanos) {
    this.mount = mount;
    this.nanos = nanos;
  }

  /** Settles volumes by a client of its own, which it makes when it is needed first. */
  static Settling byClient(String zookeeper, String secret, String node) {
    return new Settling(new ByClient(zookeeper, secret, node), System::nanoTime);
  }

  /**
   * Looks at a volume, and has it settled if it is time.
   *
   * @param leftBehind the mount that was not closed though the volume has no writer; 0 if there is
   *     none
   */
  void look(String volume, long leftBehind) {
    if (leftBehind == 0) {
      left.remove(volume);
      return;
    }
    Left seen = left.get(volume);
    if (seen == null || seen.mountEpoch != leftBehind) {
      left.put(volume, new Left(leftBehind, nanos.getAsLong()));
    } else if (nanos.getAsLong() - seen.since >= AFTER_NANOS) {
      left.put(volume, new Left(leftBehind, nanos.getAsLong())); // from now on for the next try
      try {
        worker.execute(() -> settle(volume));
      } catch (RejectedExecutionException closed) {
        LOG.debug("the master has stopped, and volume {} is settled by the next", volume);
      }
    }
  }

  /** Forgets all other volumes. */
  void retain(Set<String> volumes) {
    left.keySet().retainAll(volumes);
  }

  private void settle(String volume) {
    try {
      mount.settle(volume);
      LOG.info("volume {}: what its last writer left is settled", volume);
    } catch (SalusException.Busy | SalusException.Fenced | SalusException.NotFound used) {
      LOG.debug("volume {} is in use again, or deleted", volume, used);
    } catch (SalusException failed) {
      LOG.warn(
          "volume {}: what its last writer left is not settled yet: {}",
          volume,
          failed.getMessage());
    }
  }

  @Override
  public void close() {
    worker.shutdownNow();
    mount.close();
  }

  /** A client of the cluster. */
  private static final class ByClient implements Mount {
    private final Map<String, String> settings;
    private final String holder;
    private SalusClient client;
    private boolean closed;

    ByClient(String zookeeper, String secret, String node) {
      this.settings =
          Map.of(ClientSettings.QUORUM.key(), zookeeper, ClusterSettings.SECRET.key(), secret);
      this.holder = "the master " + node + ", which settles what a writer has left";
    }

    @Override
    public void settle(String volume) {
      client().settle(volume, holder);
    }

    private synchronized SalusClient client() {
      if (closed) {
        throw new SalusException.Closed("the master has stopped");
      }
      if (client == null) {
        client = SalusClient.connect(settings);
      }
      return client;
    }

    @Override
    public synchronized void close() {
      closed = true;
      if (client != null) {
        client.close();
      }
    }
  }
}
