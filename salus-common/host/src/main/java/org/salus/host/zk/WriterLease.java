package org.salus.host.zk;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.KeeperException;
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
      WriterClaims claims,
      ClusterNodes nodes,
      String path,
      WriterRecord record,
      int epochVersion,
      Runnable onLost) {
    CuratorFramework client = nodes.client();
    WriterLease lease = new WriterLease(client, path, record, epochVersion, onLost);
    client.getConnectionStateListenable().addListener(lease.connection);
    lease.watch = nodes.watch(path + "/writer", claims::present, lease::changed);
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

  /** What became of a confirmation. */
  public enum Confirmation {
    /** The claim stood when it was committed. */
    STANDS,
    /** Another writer has taken the volume, or it is gone. */
    GONE,
    /** ZooKeeper did not answer. */
    UNKNOWN
  }

  /**
   * Confirms in ZooKeeper that this claim stands. A confirmation is never committed after the next
   * writer's claim. Does not block.
   *
   * @param then told what became of it, on ZooKeeper's thread or this one
   */
  public void confirm(Consumer<Confirmation> then) {
    try {
      client
          .transaction()
          .inBackground((framework, event) -> then.accept(outcome(event.getResultCode())))
          .forOperations(WriterClaims.confirmation(client, path, record, epochVersion));
    } catch (Exception failed) {
      LOG.debug("cannot confirm the lease of {}", path, failed);
      then.accept(Confirmation.UNKNOWN);
    }
  }

  private static Confirmation outcome(int code) {
    return switch (KeeperException.Code.get(code)) {
      case OK -> Confirmation.STANDS;
      case BADVERSION, NONODE -> Confirmation.GONE;
      default -> Confirmation.UNKNOWN;
    };
  }

  /** Leaves the claim standing, and watches it no more. */
  public void leave() {
    end();
  }

  /** Gives the lease back; see {@link #giveBack}. */
  @Override
  public void close() {
    giveBack();
  }

  /** Gives the lease back with the reader's record; see {@link #giveBack(boolean)}. */
  public boolean giveBack() {
    return giveBack(true);
  }

  /**
   * Gives the lease back, and with it the reader's record: no read is answered any more. The record
   * of a mount without a user stays, to say that no other user had the volume.
   *
   * @param withRecord false if the record of another mount stays, too
   * @return whether it is certain that the claim does not stand any more
   */
  public boolean giveBack(boolean withRecord) {
    end();
    String reader = WriterClaims.readerPath(path, record.mountEpoch());
    try {
      if (record.withoutUser() || !withRecord) {
        commits(
            WriterClaims.isNewest(client, path, epochVersion),
            client.transactionOp().delete().forPath(path + "/writer"));
        return true;
      }
      // The epoch's version is ours only while nobody has taken over, so that another's node stays.
      boolean both =
          commits(
              WriterClaims.isNewest(client, path, epochVersion),
              client.transactionOp().delete().forPath(path + "/writer"),
              client.transactionOp().delete().forPath(reader));
      if (!both) {
        commits(client.transactionOp().delete().forPath(reader));
      }
      return true;
    } catch (ClusterStoreException failed) {
      LOG.warn("the lease of {} may still stand: {}", path, failed.getMessage());
      return false;
    } catch (IllegalStateException closed) {
      LOG.debug("the store of {} is closed, and the lease goes with its session", path);
      return true;
    } catch (Exception impossible) {
      throw new IllegalStateException("an operation of a transaction is made locally", impossible);
    }
  }

  private boolean commits(CuratorOp... ops) throws ClusterStoreException {
    try {
      ClusterNodes.run(path, () -> client.transaction().forOperations(ops));
      return true;
    } catch (ClusterStoreException.Missing | ClusterStoreException.Conflict gone) {
      LOG.debug("something to give back at {} is gone", path);
      return false;
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
