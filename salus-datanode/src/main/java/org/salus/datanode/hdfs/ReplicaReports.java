package org.salus.datanode.hdfs;

import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.UnregisteredNodeException;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.ipc.Server;
import org.salus.core.log.LogRules;
import org.salus.core.recovery.ReportedStamps;

/**
 * Notes which generation stamp each DataNode itself reports of the blocks that are being recovered
 * ({@link ReportedStamps}). A DataNode reports a stamp as soon as its replica has it. A block is
 * noted from the moment that somebody asks for a new stamp, so before any replica can have that. It
 * is forgotten with its completion, or when the NameNode forgets the block. Thread-safe.
 */
final class ReplicaReports {
  private final FSNamesystem namesystem;

  /** Guarded by itself. The keys are the NameNode's own, so it drops what the NameNode drops. */
  private final Map<Block, ReportedStamps> noted = new WeakHashMap<>();

  ReplicaReports(FSNamesystem namesystem) {
    this.namesystem = namesystem;
  }

  /** Begins to note what DataNodes report of a block. */
  void note(BlockInfo block) {
    synchronized (noted) {
      noted.computeIfAbsent(block, k -> new ReportedStamps(LogRules.PAPER));
    }
  }

  /** The block is complete, so no recovery follows. */
  void forget(Block block) {
    synchronized (noted) {
      noted.remove(block);
    }
  }

  /**
   * Takes a report. It counts only if it comes from the address with which the DataNode has
   * registered.
   */
  void take(DatanodeID from, StorageReceivedDeletedBlocks[] reports) {
    synchronized (noted) {
      if (noted.isEmpty()) {
        return;
      }
    }
    if (!isFromItself(from)) {
      return;
    }
    for (StorageReceivedDeletedBlocks storage : reports) {
      for (ReceivedDeletedBlockInfo replica : storage.getBlocks()) {
        take(from.getXferAddr(), replica);
      }
    }
  }

  private boolean isFromItself(DatanodeID dataNode) {
    DatanodeID registered;
    try {
      registered = namesystem.getBlockManager().getDatanodeManager().getDatanode(dataNode);
    } catch (UnregisteredNodeException otherAddress) {
      return false;
    }
    InetAddress caller = Server.getRemoteIp();
    return registered != null
        && caller != null
        && caller.getHostAddress().equals(registered.getIpAddr());
  }

  private void take(String dataNode, ReceivedDeletedBlockInfo replica) {
    with(
        replica.getBlock(),
        stamps -> {
          if (replica.isDeletedBlock()) {
            stamps.gone(dataNode, replica.getBlock().getGenerationStamp());
          } else {
            stamps.reported(dataNode, replica.getBlock().getGenerationStamp());
          }
        });
  }

  /** The DataNodes of those named that have not reported a replica with the block's stamp. */
  Set<String> unreported(Block block, Set<String> named) {
    Set<String> unreported = new TreeSet<>(named);
    with(
        block,
        stamps -> unreported.retainAll(stamps.unreported(named, block.getGenerationStamp())));
    return unreported;
  }

  /** The stamp that each DataNode has reported last of its replica, by "ip:port". */
  Map<String, Long> of(Block block) {
    Map<String, Long> last = new TreeMap<>();
    with(block, stamps -> last.putAll(stamps.last()));
    return last;
  }

  private void with(Block block, Consumer<ReportedStamps> what) {
    synchronized (noted) {
      ReportedStamps stamps = noted.get(block);
      if (stamps != null) {
        what.accept(stamps);
      }
    }
  }
}
