package org.salus.host.zk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.salus.core.VolumeSpec;

/**
 * Marks a volume as being deleted; see {@link ClusterStore#beginDelete}. Writers come and go
 * meanwhile: what was decided about one holds for no other.
 */
final class VolumeDeletion {
  private static final int TRIES = 10;

  private final ClusterStore store;
  private final ClusterNodes nodes;
  private final String name;
  private final String path;
  private final String what;

  VolumeDeletion(ClusterStore store, ClusterNodes nodes, String name) {
    this.store = store;
    this.nodes = nodes;
    this.name = name;
    path = ClusterStore.volumePath(name);
    what = "volume " + name;
  }

  VolumeSpec begin(boolean force) throws ClusterStoreException {
    VolumeSpec meant = null;
    for (int i = 0; i < TRIES; i++) {
      Optional<Versioned<Long>> epoch = nodes.read(what, path + "/mountEpoch", Long.class);
      Versioned<VolumeRecord> now = // after the epoch, which another volume of this name has anew
          store.readVolume(name).orElseThrow(() -> new ClusterStoreException.Missing(what));
      Optional<Versioned<WriterRecord>> writer = store.writer(name);
      if (writer.isPresent() && !force && !writer.get().value().withoutUser()) {
        throw new ClusterStoreException.Busy(name, writer.get().value());
      }
      VolumeSpec volume = now.value().spec();
      meant = meant == null ? volume : meant;
      if (volume.id() != meant.id()) {
        throw new ClusterStoreException.Missing(what); // another one was made of this name
      }
      if (now.value().state() == VolumeRecord.State.DELETING
          || now.value().state() == VolumeRecord.State.DELETED) {
        return volume;
      }
      if (epoch.isPresent() && mark(epoch.get().version(), now, writer.isPresent())) {
        return volume;
      }
    }
    throw new ClusterStoreException.Conflict(what);
  }

  /** Returns false if a writer has come or gone since, or the record has changed. */
  private boolean mark(int epochVersion, Versioned<VolumeRecord> now, boolean hasWriter)
      throws ClusterStoreException {
    VolumeRecord next = new VolumeRecord(now.value().spec(), VolumeRecord.State.DELETING);
    try {
      ClusterNodes.run(
          what,
          () -> {
            List<CuratorOp> ops = new ArrayList<>();
            ops.add(WriterClaims.isNewest(nodes.client(), path, epochVersion));
            if (hasWriter) {
              ops.add(nodes.deletion(path + "/writer"));
            }
            ops.add(
                nodes
                    .client()
                    .transactionOp()
                    .setData()
                    .withVersion(now.version())
                    .forPath(path, ClusterNodes.json(next)));
            return nodes.client().transaction().forOperations(ops);
          });
      return true;
    } catch (ClusterStoreException.Missing | ClusterStoreException.Conflict raced) {
      return false;
    }
  }
}
