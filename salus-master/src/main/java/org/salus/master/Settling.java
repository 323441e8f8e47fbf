package org.salus.master;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.WriterRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the volumes whose writers have ended without closing them (paper §4.4, phases 3 and 4).
 * It mounts such a volume as a client does, without a user: that commits the longest committable
 * prefix, and checks the volume's root. It does so some time after the writer is gone, one volume
 * after the other. While a volume cannot be settled, it tries less and less often, since each mount
 * costs the volume's logs some room. Thread-safe.
 */
final class Settling implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Settling.class);

  /**
   * The time without a writer after which a volume is settled, in nanoseconds; also the first pause
   * between two tries.
   */
  static final long AFTER_NANOS = TimeUnit.SECONDS.toNanos(20);

  /** The longest pause between two tries, in nanoseconds. */
  static final long LONGEST_PAUSE_NANOS = TimeUnit.HOURS.toNanos(1);

  /** How long one mount may take. The volumes after it wait meanwhile. */
  private static final String MOUNT_TIMEOUT = "60s";

  /** Tells which volumes are left behind. */
  interface LeftBehind {
    /** The last mount, if it was not closed though the volume has no writer; else empty. */
    Optional<WriterRecord> of(String volume) throws IOException;
  }

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

  /**
   * A volume that is left behind.
   *
   * @param mountEpoch the last mount, as it was found first
   * @param dueAt when to try
   * @param pause the pause after that if it fails
   */
  private record Left(long mountEpoch, long dueAt, long pause) {
    boolean isDue(long now) {
      return now - dueAt >= 0;
    }

    /** Whether a user has mounted the volume since. A try of a master leaves a mount, too. */
    boolean isBefore(WriterRecord last) {
      return last.mountEpoch() != mountEpoch && !last.withoutUser();
    }
  }

  private final LeftBehind leftBehind;
  private final Mount mount;
  private final Executor worker;
  private final LongSupplier nanos;
  private final Map<String, Left> left = new HashMap<>();

  /** The volumes that wait for the worker, and the one that it settles. */
  private final Set<String> queued = new HashSet<>();

  private volatile boolean closed;

  /**
   * @param worker runs one task after the other; they block
   * @param nanos the time in nanoseconds, on a clock that only goes on
   */
  Settling(LeftBehind leftBehind, Mount mount, Executor worker, LongSupplier nanos) {
    this.leftBehind = leftBehind;
    this.mount = mount;
    this.worker = worker;
    this.nanos = nanos;
  }

  /** Mounts by a client of its own, which it makes when it is needed first. */
  static Mount byClient(String zookeeper, String secret, String node) {
    return new ByClient(zookeeper, secret, node);
  }

  /** Looks at the volumes, which are all there are, and has those settled for which it is time. */
  void look(List<String> volumes) {
    retain(volumes);
    for (String volume : volumes) {
      try {
        found(volume, leftBehind.of(volume));
      } catch (IOException failed) {
        LOG.warn(
            "volume {}: it is not known whether a writer has left it: {}",
            volume,
            failed.getMessage());
      } catch (RuntimeException bug) {
        LOG.error("BUG while looking at volume {}; the other volumes go on", volume, bug);
      }
    }
  }

  private synchronized void retain(List<String> volumes) {
    left.keySet().retainAll(Set.copyOf(volumes));
  }

  private synchronized void found(String volume, Optional<WriterRecord> last) {
    if (last.isEmpty()) {
      left.remove(volume);
      return;
    }
    Left seen = left.get(volume);
    long now = nanos.getAsLong();
    if (seen == null || seen.isBefore(last.get())) {
      left.put(volume, new Left(last.get().mountEpoch(), now + AFTER_NANOS, AFTER_NANOS));
    } else if (seen.isDue(now) && queued.add(volume)) {
      try {
        worker.execute(() -> settle(volume));
      } catch (RejectedExecutionException stopped) {
        LOG.debug("the master has stopped, and volume {} is settled by the next", volume);
      }
    }
  }

  private void settle(String volume) {
    try {
      Left due = due(volume);
      if (due != null && isStillLeft(volume, due)) {
        rest(volume, due, mount(volume, due.pause));
      }
    } finally {
      leaveQueue(volume);
    }
  }

  /** The volume, if it is still known as left and it is still time; else null. */
  private synchronized Left due(String volume) {
    Left known = left.get(volume);
    return known != null && known.isDue(nanos.getAsLong()) ? known : null;
  }

  private synchronized void leaveQueue(String volume) {
    queued.remove(volume);
  }

  /** Whether nothing has changed while the volume was waiting for its turn. */
  private boolean isStillLeft(String volume, Left due) {
    try {
      return leftBehind.of(volume).filter(last -> !due.isBefore(last)).isPresent();
    } catch (IOException unknown) {
      LOG.debug("it is not known whether volume {} is still left behind", volume, unknown);
      return false;
    } catch (RuntimeException bug) {
      tell(volume, bug);
      return false;
    }
  }

  /** Returns the pause before the next try, for the case that the volume is left behind then. */
  private long mount(String volume, long pause) {
    try {
      mount.settle(volume);
      LOG.info("volume {}: what its last writer left is settled", volume);
    } catch (SalusException.Busy | SalusException.Fenced | SalusException.NotFound used) {
      LOG.debug("volume {} is in use again, or deleted", volume, used);
    } catch (SalusException.NoSpace | SalusException.Integrity lasting) {
      tell(volume, lasting, LONGEST_PAUSE_NANOS);
      return LONGEST_PAUSE_NANOS;
    } catch (SalusException failed) {
      tell(volume, failed, pause);
    } catch (RuntimeException bug) {
      tell(volume, bug);
    }
    return pause;
  }

  private static void tell(String volume, SalusException failed, long pause) {
    LOG.warn(
        "volume {}: what its last writer left is not settled yet, and is tried again after {} s: {}",
        volume,
        TimeUnit.NANOSECONDS.toSeconds(pause),
        failed.getMessage());
  }

  private void tell(String volume, RuntimeException bug) {
    if (closed) {
      LOG.debug("the master has stopped while it settled volume {}", volume, bug);
    } else {
      LOG.error("BUG while settling volume {}; the other volumes go on", volume, bug);
    }
  }

  private synchronized void rest(String volume, Left tried, long pause) {
    long next = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
    left.replace(volume, tried, new Left(tried.mountEpoch, nanos.getAsLong() + pause, next));
  }

  /** To be called before the worker is stopped: no failure is taken for a bug from now on. */
  @Override
  public void close() {
    closed = true;
  }

  /** A client of the cluster. */
  private static final class ByClient implements Mount {
    private final Map<String, String> settings;
    private final String holder;
    private SalusClient client;
    private boolean closed;

    ByClient(String zookeeper, String secret, String node) {
      this.settings = settings(zookeeper, secret);
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

  /** The settings of the master's client. */
  static Map<String, String> settings(String zookeeper, String secret) {
    return Map.of(
        ClientSettings.QUORUM.key(),
        zookeeper,
        ClusterSettings.SECRET.key(),
        secret,
        ClientSettings.TIMEOUT.key(),
        MOUNT_TIMEOUT);
  }
}
