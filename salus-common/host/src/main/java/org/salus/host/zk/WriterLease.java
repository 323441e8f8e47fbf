package org.salus.host.zk;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right to write a volume (paper §4). It lasts until it is closed, taken over, or lost with the
 * ZooKeeper session. Thread-safe.
 */
public final class WriterLease implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WriterLease.class);

  private final CuratorFramework client;
  private final String path;
  private final WriterRecord record;
  private final int epochVersion;
  private final Runnable onLost;
  private volatile Watch watch;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final ConnectionStateListener connection =
      (framework, state) -> {
        if (state == ConnectionState.LOST) {
          lost();
        }
      };

  private WriterLease(
      CuratorFramework client,
      String path,
      WriterRecord record,
      int epochVersion,
      Runnable onLost) {
    this.client = client;
    this.path = path;
    this.record = record;
    this.epochVersion = epochVersion;
    this.onLost = onLost;
  }

  /**
   * Wraps a lease that was just given, and watches it from now on.
   *
   * @param onLost run once when it is lost, on the store's thread or ZooKeeper's
   */
  static WriterLease of(
      ClusterStore store,
      CuratorFramework client,
      String path,
      WriterRecord record,
      int epochVersion,
      Runnable onLost) {
    WriterLease lease = new WriterLease(client, path, record, epochVersion, onLost);
    client.getConnectionStateListenable().addListener(lease.connection);
    String volume = path.substring(path.lastIndexOf('/') + 1);
    lease.watch = store.watch(path + "/writer", () -> store.writer(volume), lease::changed);
    if (!lease.isHeld()) {
      lease.watch.close(); // lost before the watch was stored
    }
    return lease;
  }

  /** The mount epoch that this lease was given. */
  public long mountEpoch() {
    return record.mountEpoch();
  }

  /** The record that others see of this lease. */
  public WriterRecord record() {
    return record;
  }

  /** False once lost or closed. */
  public boolean isHeld() {
    return !ended.get();
  }

  /** Gives the lease back. */
  @Override
  public void close() {
    end();
    try {
      // The epoch's version is ours only while nobody has taken over, so that another's node stays.
      ClusterStore.run(
          path,
          () ->
              client
                  .transaction()
                  .forOperations(
                      client
                          .transactionOp()
                          .check()
                          .withVersion(epochVersion)
                          .forPath(path + "/mountEpoch"),
                      client.transactionOp().delete().forPath(path + "/writer")));
    } catch (ClusterStoreException.Missing | ClusterStoreException.Conflict gone) {
      LOG.debug("nothing to give back at {}", path);
    } catch (ClusterStoreException failed) {
      LOG.warn("the lease of {} ends only with its session: {}", path, failed.getMessage());
    } catch (IllegalStateException closed) {
      LOG.debug("the store of {} is closed, and the lease goes with its session", path);
    }
  }

  private void changed(Optional<Versioned<WriterRecord>> now) {
    if (now.map(present -> present.value().mountEpoch()).orElse(-1L) != record.mountEpoch()) {
      lost();
    }
  }

  private void lost() {
    if (end()) {
      LOG.warn("lost the writer's lease {} with mount epoch {}", path, record.mountEpoch());
      onLost.run();
    }
  }

  private boolean end() {
    boolean first = ended.compareAndSet(false, true);
    if (first) {
      client.getConnectionStateListenable().removeListener(connection);
      Watch w = watch;
      if (w != null) {
        w.close();
      }
    }
    return first;
  }
}
