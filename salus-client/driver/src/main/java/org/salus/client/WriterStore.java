package org.salus.client;

import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.WriterClaim;
import org.salus.host.zk.WriterLease;

/**
 * The part of the cluster's records that the writer of one volume needs. Calls block. Thread-safe.
 */
interface WriterStore {
  /** The writer's lease. Thread-safe. */
  interface Lease extends AutoCloseable {
    /** The mount epoch that the lease was given. */
    long mountEpoch();

    /** False once lost or closed. */
    boolean isHeld();

    /** Gives the lease back. Blocks. */
    @Override
    void close();
  }

  /**
   * Takes the volume under the next mount epoch.
   *
   * @param force whether to end another writer's lease
   * @param onLost called once, on any thread, when the lease is gone without having been closed
   * @throws ClusterStoreException.Busy when another writer has the lease and {@code force} is false
   */
  Lease acquire(boolean force, Runnable onLost) throws ClusterStoreException;

  /** Sends an accusation against a member to the master. */
  void accuse(int region, AccusationRecord record) throws ClusterStoreException;

  /** Notes which blocks no member has. Replaces the earlier note. */
  void damage(DamageRecord record) throws ClusterStoreException;

  /**
   * The writer's part of {@code store}.
   *
   * @param holder the text that describes the writer to others
   * @param service the service's name, which one process at a time can have; or empty
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
