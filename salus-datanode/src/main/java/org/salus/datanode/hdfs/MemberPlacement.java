package org.salus.datanode.hdfs;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;

/**
 * HDFS's own placement, with one exception. A missing replica of a volume's file goes to a member's
 * DataNode if one lacks it, so that members read from their own machines. Name it in {@code
 * dfs.block.replicator.classname}.
 */
public final class MemberPlacement extends BlockPlacementPolicyDefault implements Configurable {
  private Configuration conf;
  private ChangeGuard guard;

  @Override
  public void setConf(Configuration newConf) {
    conf = newConf;
    guard = ChangeGuards.of(newConf);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public DatanodeStorageInfo[] chooseTarget(
      String path,
      int replicas,
      Node writer,
      List<DatanodeStorageInfo> chosen,
      boolean returnChosen,
      Set<Node> excluded,
      long blockSize,
      BlockStoragePolicy storage,
      EnumSet<AddBlockFlag> flags) {
    if (!chosen.isEmpty() && !returnChosen && path.startsWith(GuardedPaths.ROOT + "/")) {
      Set<Node> allBut = allButMembers(path, chosen, excluded);
      if (allBut != null) {
        DatanodeStorageInfo[] members =
            super.chooseTarget(path, 1, writer, chosen, false, allBut, blockSize, storage, flags);
        if (members.length > 0) {
          return members; // HDFS asks again for the other missing replicas
        }
      }
    }
    return super.chooseTarget(
        path, replicas, writer, chosen, returnChosen, excluded, blockSize, storage, flags);
  }

  /**
   * Returns the nodes to exclude so that only members without a replica are left, or null when
   * there are none.
   */
  private Set<Node> allButMembers(
      String path, List<DatanodeStorageInfo> chosen, Set<Node> excluded) {
    List<String> members = guard.dataNodesOf(path);
    Set<Node> allBut = new HashSet<>(excluded == null ? Set.of() : excluded);
    chosen.forEach(s -> allBut.add(s.getDatanodeDescriptor()));
    boolean any = false;
    for (Node node : clusterMap.getLeaves(NodeBase.ROOT)) {
      boolean wanted =
          node instanceof DatanodeDescriptor d
              && members.contains(d.getXferAddr())
              && !allBut.contains(node);
      any |= wanted;
      if (!wanted) {
        allBut.add(node);
      }
    }
    return any ? allBut : null;
  }
}
