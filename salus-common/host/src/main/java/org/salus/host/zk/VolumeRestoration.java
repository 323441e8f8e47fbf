package org.salus.host.zk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.salus.core.VolumeSpec;

/**
 * One attempt to write the records of a volume that has none; see {@link
 * ClusterStore#restoreVolume}.
 */
final class VolumeRestoration {
  private final ClusterStore store;
  private final ClusterNodes nodes;
  private final VolumeSpec spec;
  private final long mountEpoch;
  private final String path;
  private final String what;

  VolumeRestoration(ClusterStore store, ClusterNodes nodes, VolumeSpec spec, long mountEpoch) {
    this.store = store;
    this.nodes = nodes;
    this.spec = spec;
    this.mountEpoch = mountEpoch;
    path = ClusterStore.volumePath(spec.name());
    what = "volume " + spec.name();
  }

  /** Returns the version of the volume's record, which changes when somebody else begins anew. */
  int begin() throws ClusterStoreException {
    VolumeRecord volume = new VolumeRecord(spec, VolumeRecord.State.RESTORING);
    Optional<Versioned<VolumeRecord>> now = store.readVolume(spec.name());
    if (now.isEmpty()) {
      store.create(volume, mountEpoch);
      return 0;
    }
    if (now.get().value().state() != VolumeRecord.State.RESTORING) {
      throw new ClusterStoreException.Exists(what);
    }
    int before = now.get().version();
    ClusterNodes.run(
        what,
        () ->
            nodes
                .client()
                .transaction()
                .forOperations(
                    nodes
                        .client()
                        .transactionOp()
                        .setData()
                        .withVersion(before)
                        .forPath(path, ClusterNodes.json(volume)),
                    nodes
                        .client()
                        .transactionOp()
                        .setData()
                        .forPath(path + "/mountEpoch", ClusterNodes.json(mountEpoch))));
    return before + 1;
  }

  /**
   * @param version of the volume's record since {@link #begin}
   */
  void finish(int version) throws ClusterStoreException {
    List<String> old = nodes.children(path + "/rrs");
    inSteps(version, old.size(), i -> nodes.deletion(path + "/rrs/" + old.get(i)));
    List<String> readers = nodes.children(WriterClaims.readersPath(path));
    inSteps(
        version,
        readers.size(),
        i -> nodes.deletion(WriterClaims.readersPath(path) + "/" + readers.get(i)));
    // The next writer waits for whoever was reading when ZooKeeper lost its records.
    WriterRecord unknown =
        new WriterRecord(
            "unknown", System.currentTimeMillis(), mountEpoch, "", 0, "", false, 0, "");
    inSteps(
        version,
        1,
        i -> nodes.creation(WriterClaims.readerPath(path, mountEpoch), ClusterNodes.json(unknown)));
    VolumeRecord whole = new VolumeRecord(spec, VolumeRecord.State.ACTIVE);
    ClusterNodes.run(
        what,
        () ->
            nodes.client().setData().withVersion(version).forPath(path, ClusterNodes.json(whole)));
  }

  /** Makes the operation with this number. */
  private interface Step {
    CuratorOp op(int i) throws Exception;
  }

  /** Does operations below a volume's record, while that has this version. */
  private void inSteps(int version, int count, Step step) throws ClusterStoreException {
    for (int from = 0; from < count; from += ClusterStore.MOST_CHANGES) {
      int first = from;
      ClusterNodes.run(
          what,
          () -> {
            List<CuratorOp> ops = new ArrayList<>();
            ops.add(nodes.client().transactionOp().check().withVersion(version).forPath(path));
            for (int i = first; i < Math.min(count, first + ClusterStore.MOST_CHANGES); i++) {
              ops.add(step.op(i));
            }
            return nodes.client().transaction().forOperations(ops);
          });
    }
  }
}
