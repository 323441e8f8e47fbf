package org.salus.client;

import java.util.List;
import java.util.function.Consumer;
import org.salus.core.VolumeSpec;
import org.salus.core.path.VolumePath;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.VolumeRecord;

/**
 * Rebuilds the records of volumes that ZooKeeper has lost and whose files HDFS still has. Calls
 * block. Failures are {@link SalusException}s. Thread-safe.
 */
public final class Repairs {
  private final ClusterStore store;
  private final VolumeRepair repair;
  private final Consumer<VolumeSpec> awaitServing;

  Repairs(ClusterStore store, VolumeRepair repair, Consumer<VolumeSpec> awaitServing) {
    this.store = store;
    this.repair = repair;
    this.awaitServing = awaitServing;
  }

  /**
   * The names of volumes that have files in HDFS but no records in ZooKeeper, sorted. A volume
   * whose repair was broken off is one of them.
   */
  public List<String> withoutRecords() {
    return repair.onDisk().stream()
        .map(VolumePath::volume)
        .filter(name -> !hasRecords(name))
        .distinct()
        .sorted()
        .toList();
  }

  private boolean hasRecords(String name) {
    return StoreFailures.typed(store, name, store::volumes).contains(name)
        && StoreFailures.typed(store, name, () -> store.volume(name)).state()
            != VolumeRecord.State.RESTORING;
  }

  /**
   * Works out a volume's records from the certified manifests on the DataNodes. Changes nothing.
   *
   * @param shape the shape of a volume whose directory in HDFS does not note it; else null
   * @param withoutSilent whether to go on without servers that run and do not answer. The plan is
   *     still refused when such a server's DataNode may have a newer part of a log
   * @throws SalusException.AlreadyExists when the volume has its records
   * @throws SalusException.NotFound when HDFS has no files of it
   * @throws SalusException.Incomplete when something is missing that a record would promise
   */
  public RepairPlan plan(String name, RepairShape shape, boolean withoutSilent) {
    if (hasRecords(name)) {
      throw new SalusException.AlreadyExists(
          "volume "
              + name
              + " has its records: there is nothing to rebuild; SalusClient.info shows what its regions wait for");
    }
    List<VolumePath> found = repair.onDisk().stream().filter(v -> v.volume().equals(name)).toList();
    if (found.isEmpty()) {
      throw new SalusException.NotFound(
          "there is no volume "
              + name
              + ", and HDFS has no files of one; SalusClient.list names those there are");
    }
    if (found.size() > 1) {
      throw new SalusException.Incomplete(
          "HDFS has files of "
              + found.size()
              + " volumes of the name "
              + name
              + ", "
              + found.stream().map(VolumePath::path).toList()
              + ": only one may be left, move the others out of "
              + VolumePath.ROOT
              + " with a NameNode that has no guard");
    }
    return repair.plan(found.get(0), shape, withoutSilent);
  }

  /**
   * Writes the records of a plan. The master makes those of the regions, from what the NameNode
   * knows of their epochs. Returns when the next epoch of every region serves. If this is broken
   * off, nobody uses the volume until it is repaired again.
   */
  public void run(RepairPlan plan) {
    StoreFailures.typed(
        store,
        plan.spec().name(),
        () -> {
          store.restoreVolume(plan.spec(), plan.mountEpoch());
          return null;
        });
    awaitServing.accept(plan.spec());
  }
}
