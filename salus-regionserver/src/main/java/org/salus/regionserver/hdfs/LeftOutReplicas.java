package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.Signer;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaFloor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas on DataNodes without a member of the epoch. A joiner looks for them. For one scan of a
 * region's log, by one thread.
 */
final class LeftOutReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LeftOutReplicas.class);

  private final RegionFiles files;
  private final EpochLink link;
  private final Signer signer;

  /** The DataNodes whose replicas nobody may write while they are read. */
  private final List<String> toFence;

  /**
   * DataNodes that did not answer. They are not asked again, because waiting at each segment would
   * take too long.
   */
  private final Set<String> silent = new HashSet<>();

  LeftOutReplicas(RegionFiles files, EpochLink link, Signer signer) {
    this.files = files;
    this.link = link;
    this.signer = signer;
    this.toFence =
        link.rebuilds() ? link.holders().stream().map(Member::dataNode).toList() : List.of();
  }

  /**
   * Opens such replicas of an open segment. The caller closes them. If the epoch has no holder, the
   * writers of the holders' replicas are stopped first.
   *
   * @return the replicas by DataNode
   * @throws IOException when a replica exists that cannot be read from this machine
   */
  Map<String, ReplicaReader> of(BlockHandle handle) throws IOException {
    Map<String, ReplicaReader> found = new HashMap<>();
    BlockHandle all = files.files().withReplicas(handle, toFence);
    try {
      for (String dataNode : files.othersOf(all)) {
        if (!files.dataNodes().contains(dataNode) && !silent.contains(dataNode)) {
          open(all, dataNode).ifPresent(r -> found.put(dataNode, r));
        }
      }
      return found;
    } catch (IOException failed) {
      close(found);
      throw failed;
    }
  }

  static void close(Map<String, ReplicaReader> replicas) throws IOException {
    for (ReplicaReader r : replicas.values()) {
      r.close();
    }
  }

  private Optional<ReplicaReader> open(BlockHandle handle, String dataNode) throws IOException {
    try {
      if (toFence.contains(dataNode)) {
        new ReplicaFloor(dataNode, files.files(), files.conf(), signer).fence(handle, link);
      }
      ReplicaReader replica = files.openOther(handle, dataNode);
      if (replica.length() >= 0) {
        return Optional.of(replica);
      }
      replica.close();
    } catch (RemoteException goneOrLeftBehind) {
      LOG.info(
          "{} is not read from {}: {}", handle.path(), dataNode, goneOrLeftBehind.getMessage());
      return Optional.empty();
    } catch (IOException unreachable) {
      LOG.info("{} does not answer: {}", dataNode, unreachable.getMessage());
      silent.add(dataNode);
      return Optional.empty();
    }
    throw new IOException(
        "the replica of "
            + handle.path()
            + " on "
            + dataNode
            + " is from before its restart, and can only be read on its machine");
  }
}
