package org.salus.client.cluster;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.Reader;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.WriterClaim;
import org.salus.host.zk.WriterLease;
import org.salus.host.zk.WriterLease.Confirmation;

/**
 * The part of the cluster's records that the writer of one volume needs. Calls block. Thread-safe.
 */
public interface WriterStore {
  /** The writer's lease. Thread-safe. */
  interface Lease {
    /** The mount epoch that the lease was given. */
    long mountEpoch();

    /** False once lost or closed. */
    boolean isHeld();

    /**
     * Confirms in ZooKeeper that the claim stands. Does not block.
     *
     * @param then told what became of it, on any thread
     */
    void confirm(Consumer<Confirmation> then);

    /** Leaves the claim standing for a later try, and is told no more of its loss. */
    void leave();

    /**
     * Gives the lease back. Blocks.
     *
     * @param record whether the reader's record goes, too. Otherwise it says that no other user had
     *     the volume under this mount
     * @return whether it is certain that the claim does not stand any more
     */
    boolean giveBack(boolean record);
  }

  /**
   * Takes the volume under the next mount epoch.
   *
   * @param force whether to end another writer's lease
   * @param after the mount epoch of the last lease that was used; 0 for none
   * @param onLost called once, on any thread, when the lease is gone without having been closed
   * @throws ClusterStoreException.Busy when another writer has the lease and {@code force} is false
   */
  Lease acquire(boolean force, long after, Runnable onLost) throws ClusterStoreException;

  /** The number of the newest mount, whoever had it. */
  long newestMount() throws ClusterStoreException;

  /** The records of all writers that may answer reads. */
  List<Reader> readers() throws ClusterStoreException;

  /**
   * Removes every claim of this writer and its readers' records, whatever became of them.
   *
   * @param upTo the newest mount whose record goes; the others stay, as in {@link Lease#giveBack}
   */
  void giveUp(long upTo) throws ClusterStoreException;

  /** Removes records of writers that answer no reads any more. */
  void forget(List<Long> mountEpochs) throws ClusterStoreException;

  /** Sends an accusation against a member to the master. */
  void accuse(int region, AccusationRecord record) throws ClusterStoreException;

  /** Notes which blocks no member has. Replaces the earlier note. */
  void damage(DamageRecord record) throws ClusterStoreException;

  /**
   * Notes that a mount has found the volume whole. Does nothing when a newer one has.
   *
   * @param loss how far the volume went back at the mount; empty if it did not
   */
  void confirmed(long mountEpoch, Optional<SessionEffect.WentBack> loss)
      throws ClusterStoreException;

  /**
   * Notes that a mount or its session has found acknowledged changes lost, until somebody accepts
   * that.
   *
   * @param served the newest mount of this handle that has served its user; 0 if none has
   */
  void lost(long mountEpoch, SessionEffect.WentBack loss, long served) throws ClusterStoreException;

  /** What mounts and sessions have found lost, oldest first, until somebody has accepted it. */
  List<LossRecord.Loss> losses() throws ClusterStoreException;

  /**
   * The writer's part of {@code store}.
   *
   * @param claim the first claim of the writer
   */
  static WriterStore of(ClusterStore store, VolumeSpec volume, WriterClaim claim) {
    return new InCluster(store, volume, claim);
  }

  /** The records in ZooKeeper. */
  record InCluster(ClusterStore store, VolumeSpec volume, WriterClaim claim)
      implements WriterStore {
    @Override
    public Lease acquire(boolean force, long after, Runnable onLost) throws ClusterStoreException {
      return new Held(store.acquireWriter(volume, claim.again(force, after), onLost));
    }

    @Override
    public long newestMount() throws ClusterStoreException {
      return store.newestMount(volume);
    }

    @Override
    public List<Reader> readers() throws ClusterStoreException {
      return store.readers(volume.name(), claim);
    }

    @Override
    public void giveUp(long upTo) throws ClusterStoreException {
      store.giveUpWriter(volume.name(), claim, upTo);
    }

    @Override
    public void forget(List<Long> mountEpochs) throws ClusterStoreException {
      store.forgetReaders(volume.name(), mountEpochs);
    }

    @Override
    public void accuse(int region, AccusationRecord record) throws ClusterStoreException {
      store.reports().accuse(volume.name(), region, record);
    }

    @Override
    public void damage(DamageRecord record) throws ClusterStoreException {
      store.reports().damage(volume.name(), record);
    }

    @Override
    public void confirmed(long mountEpoch, Optional<SessionEffect.WentBack> loss)
        throws ClusterStoreException {
      store
          .reports()
          .confirmed(
              volume,
              new ConfirmedRecord(
                  volume.id(),
                  mountEpoch,
                  System.currentTimeMillis(),
                  loss.map(SessionEffect.WentBack::prefix).orElse(0L),
                  loss.map(SessionEffect.WentBack::acked).orElse(0L),
                  claim.withoutUser() ? 0 : mountEpoch));
    }

    @Override
    public void lost(long mountEpoch, SessionEffect.WentBack loss, long served)
        throws ClusterStoreException {
      store
          .reports()
          .lost(
              volume,
              new LossRecord.Loss(
                  System.currentTimeMillis(),
                  claim.holder(),
                  mountEpoch,
                  loss.prefix(),
                  loss.acked(),
                  loss.served(),
                  served));
    }

    @Override
    public List<LossRecord.Loss> losses() throws ClusterStoreException {
      return store.reports().losses(volume);
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
    public void confirm(Consumer<Confirmation> then) {
      lease.confirm(then);
    }

    @Override
    public void leave() {
      lease.leave();
    }

    @Override
    public boolean giveBack(boolean record) {
      return lease.giveBack(record);
    }
  }
}
