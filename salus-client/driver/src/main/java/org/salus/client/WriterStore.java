package org.salus.client;

import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.WriterClaim;
import org.salus.host.zk.WriterLease;

/** What the writer of one volume needs of the cluster's records. Calls block. Thread-safe. */
interface WriterStore {
  /** The right to write the volume. Thread-safe. */
  interface Lease extends AutoCloseable {
    /** The mount epoch that came with it. */
    long mountEpoch();

    /** False once lost or closed. */
    boolean isHeld();

    /** Gives the volume back; blocks. */
    @Override
    void close();
  }

  /**
   * Takes the volume under the next mount epoch.
   *
   * @param force whoever writes is put out
   * @param onLost called once, on any thread, when the lease is gone without having been closed
   * @throws ClusterStoreException.Busy when somebody else writes
   */
  Lease acquire(boolean force, Runnable onLost) throws ClusterStoreException;

  /** Tells the master of a member. */
  void accuse(int region, AccusationRecord record) throws ClusterStoreException;

  /** Notes which blocks no member has. */
  void damage(DamageRecord record) throws ClusterStoreException;

  /**
   * The writer's part of {@code store}.
   *
   * @param holder what others are told of the writer
   * @param service what only one process at a time can be, or empty
   */
  static WriterStore of(ClusterStore store, String volume, String holder, String service) {
    return new InCluster(store, volume, holder, service);
  }

  /** The records in ZooKeeper. */
  record InCluster(ClusterStore store, String volume, String holder, String service)
      implements WriterStore {
    @Override
    public Lease acquire(boolean force, Runnable onLost) throws ClusterStoreException {
      return new Held(store.acquireWriter(volume, new WriterClaim(holder, service, force), onLost));
    }

    @Override
    public void accuse(int region, AccusationRecord record) throws ClusterStoreException {
      store.reports().accuse(volume, region, record);
    }

    @Override
    public void damage(DamageRecord record) throws ClusterStoreException {
      store.reports().damage(volume, record);
    }
  }

  /** A lease in ZooKeeper. */
  record Held(WriterLease lease) implements Lease {
    @Override
    public long mountEpoch() {
      return lease.mountEpoch();
    }

    @Override
    public boolean isHeld() {
      return lease.isHeld();
    }

    @Override
    public void close() {
      lease.close();
    }
  }
}
