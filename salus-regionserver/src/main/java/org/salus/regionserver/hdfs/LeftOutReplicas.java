package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.Signer;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;
import org.salus.datanode.hdfs.replica.LocalReplicaReader.Presence;
import org.salus.datanode.hdfs.replica.ReplicaFloor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicas on DataNodes without a member of the epoch, which a joiner looks for; and those of the
 * holders, if the epoch has none. For one scan of a region's log, by one thread.
 */
final class LeftOutReplicas {
  private static final Logger LOG = LoggerFactory.getLogger(LeftOutReplicas.class);

  private final RegionFiles files;
  private final EpochLink link;
  private final Signer signer;

  /** The holders' DataNodes, if the epoch has no holder; else empty. */
  private final List<String> holders;

  /** The DataNode that this server leaves beside a holder that stays. */
  private final Optional<String> left;

  /**
   * Whether the own DataNode may be a holder's under another address, which its replicas then show.
   * Nobody else writes them: this server has left the epoch before.
   */
  private final boolean mayHaveMoved;

  /**
   * DataNodes that did not answer. They are not asked again, because waiting at each segment would
   * take too long.
   */
  private final Set<String> silent = new HashSet<>();

  LeftOutReplicas(RegionFiles files, EpochLink link, Signer signer) {
    this.files = files;
    this.link = link;
    this.signer = signer;
    this.holders =
        link.rebuilds() ? link.holders().stream().map(Member::dataNode).toList() : List.of();
    Optional<String> before = link.left(link.members().get(files.place()));
    this.mayHaveMoved = link.rebuilds() && before.isPresent() && !holders.contains(files.own());
    this.left = link.rebuilds() ? Optional.empty() : before;
  }

  /** Whether the epoch has no holder. */
  boolean rebuilds() {
    return link.rebuilds();
  }

  /** The DataNode that this server leaves, or empty. */
  Optional<String> left() {
    return left;
  }

  /**
   * What others have of an open segment. The caller closes the replicas.
   *
   * @param replicas by DataNode
   * @param answered the holders' DataNodes that nobody writes any more, and that have said what
   *     they have
   * @param leftBehind whether a recovery went on without a holder's replica
   */
  record Found(Map<String, ReplicaReader> replicas, Set<String> answered, boolean leftBehind)
      implements AutoCloseable {
    /** Each replica to be read alone, by DataNode. */
    Map<String, SegmentReplicas.Single> singly() {
      Map<String, SegmentReplicas.Single> all = new HashMap<>();
      replicas.forEach((dataNode, replica) -> all.put(dataNode, SegmentReplicas.only(replica)));
      return all;
    }

    @Override
    public void close() throws IOException {
      for (ReplicaReader r : replicas.values()) {
        r.close();
      }
    }
  }

  /**
   * Opens the replicas of an open segment. If the epoch has no holder, the writers of the holders'
   * replicas are stopped first, the own DataNode's too.
   *
   * @throws IOException when a replica exists that cannot be read from this machine. In an epoch
   *     without a holder its DataNode counts as silent instead, because another one is enough
   */
  Found of(BlockHandle handle) throws IOException {
    Map<String, ReplicaReader> replicas = new HashMap<>();
    Set<String> answered = new TreeSet<>();
    boolean leftBehind = false;
    List<String> named = new ArrayList<>(holders);
    left.ifPresent(named::add);
    BlockHandle all = files.files().withReplicas(handle, named);
    Set<String> dataNodes = new LinkedHashSet<>(files.othersOf(all));
    dataNodes.removeAll(files.dataNodes());
    dataNodes.addAll(named);
    dataNodes.removeAll(silent);
    try {
      for (String dataNode : dataNodes) {
        Optional<Presence> there = presence(all, dataNode);
        if (there.isEmpty()) {
          continue;
        }
        boolean isOwn = dataNode.equals(files.own());
        Optional<ReplicaReader> replica =
            there.get() != Presence.THERE || isOwn ? Optional.empty() : open(all, dataNode);
        replica.ifPresent(r -> replicas.put(dataNode, r));
        boolean isKnown = there.get() != Presence.THERE || isOwn || replica.isPresent();
        if (isKnown && holders.contains(dataNode)) {
          answered.add(dataNode);
          leftBehind |= there.get() == Presence.LEFT_BEHIND;
        }
      }
      if (mayHaveMoved
          && LocalReplicaReader.counts(handle, files.own(), files.files(), files.conf())) {
        answered.add(files.own());
      }
      return new Found(replicas, answered, leftBehind);
    } catch (IOException failed) {
      new Found(replicas, Set.of(), false).close();
      throw failed;
    }
  }

  /** What a holder's DataNode has, once nobody writes it; empty if it does not say. */
  private Optional<Presence> presence(BlockHandle handle, String dataNode) {
    boolean isLeft = left.filter(dataNode::equals).isPresent();
    if (!holders.contains(dataNode) && !isLeft) {
      return Optional.of(Presence.THERE); // as the NameNode says
    }
    try {
      if (isLeft) { // this server wrote it, and has stopped
        return Optional.of(
            LocalReplicaReader.presence(handle, dataNode, files.files(), files.conf()));
      }
      new ReplicaFloor(dataNode, files.files(), files.conf(), signer)
          .fence(handle, link, link.nodes().get(files.place()));
      return Optional.of(
          LocalReplicaReader.presence(handle, dataNode, files.files(), files.conf()));
    } catch (RemoteException refused) {
      LOG.info("{} is not read from {}: {}", handle.path(), dataNode, refused.getMessage());
      return Optional.empty();
    } catch (IOException unreachable) {
      LOG.info("{} does not answer: {}", dataNode, unreachable.getMessage());
      silent.add(dataNode);
      return Optional.empty();
    }
  }

  private Optional<ReplicaReader> open(BlockHandle handle, String dataNode) throws IOException {
    try {
      ReplicaReader replica = files.openOther(handle, dataNode);
      if (replica.length() >= 0) {
        return Optional.of(replica);
      }
      replica.close();
    } catch (RemoteException gone) {
      LOG.info("{} is not read from {}: {}", handle.path(), dataNode, gone.getMessage());
      return Optional.empty();
    } catch (IOException unreachable) {
      LOG.info("{} does not answer: {}", dataNode, unreachable.getMessage());
      silent.add(dataNode);
      return Optional.empty();
    }
    if (link.rebuilds()) {
      LOG.warn("{} has started again, and has no guard that lets its replicas be read", dataNode);
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
