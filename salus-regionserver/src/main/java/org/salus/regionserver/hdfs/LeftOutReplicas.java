package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas on DataNodes that no member of an epoch has, as who joins looks for them. For one scan
 * of a region's log.
 */
final class LeftOutReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LeftOutReplicas.class);

  private final RegionFiles files;

  /** DataNodes that did not answer: to wait for each segment of theirs would take too long. */
  private final Set<String> silent = new HashSet<>();

  LeftOutReplicas(RegionFiles files) {
    this.files = files;
  }

  /**
   * Those of an open segment, by DataNode; for the caller to close.
   *
   * @throws IOException when there is one that cannot be looked at from here
   */
  Map<String, ReplicaReader> of(BlockHandle handle) throws IOException {
    Map<String, ReplicaReader> found = new HashMap<>();
    try {
      for (String dataNode : files.othersOf(handle)) {
        if (!files.dataNodes().contains(dataNode) && !silent.contains(dataNode)) {
          open(handle, dataNode).ifPresent(r -> found.put(dataNode, r));
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
            + " is from before its restart, and can only be read on its host");
  }
}
