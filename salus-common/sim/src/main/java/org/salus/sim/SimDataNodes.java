package org.salus.sim;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.salus.core.Lanes;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;

/** What the NameNode says of DataNodes to the master. */
record SimDataNodes(List<SimNode> nodes) {
  /** Those that take new replicas, by name. */
  List<String> roomy() {
    return nodes.stream()
        .filter(n -> n.dataNode == DataNodeState.IN_SERVICE)
        .map(n -> n.name)
        .toList();
  }

  /** Those beside servers that are drained. */
  Set<String> drained() {
    return nodes.stream()
        .filter(n -> n.dataNode == DataNodeState.DRAINED)
        .map(n -> n.name)
        .collect(Collectors.toSet());
  }

  boolean isUp(Member m) {
    return node(m.dataNode()).up;
  }

  /** The state of a member's DataNode. It is the member's server that is drained. */
  DataNodeState state(Member m) {
    DataNodeState state = node(m.dataNode()).dataNode;
    if (state.isRetiring() || node(m.node()).dataNode == DataNodeState.DRAINED) {
      return state.isRetiring() ? state : DataNodeState.DRAINED;
    }
    return state == DataNodeState.DRAINED ? DataNodeState.IN_SERVICE : state;
  }

  /** Who an epoch's members are, and where their replicas are if not beside them. */
  static String words(EpochLink link) {
    boolean beside = link.nodes().equals(link.dataNodes());
    return " " + link.nodes() + (beside ? "" : " with replicas on " + link.dataNodes());
  }

  /** Whether a lane's member of an epoch has its replica on another machine. */
  static boolean isAway(List<RrsRecord> written, int epoch, int lane) {
    return lane >= 0
        && written.stream()
            .filter(r -> r.epoch() == epoch)
            .map(r -> r.members().get(Lanes.member(lane, r.members().size())))
            .anyMatch(m -> !m.node().equals(m.dataNode()));
  }

  private SimNode node(String name) {
    return nodes.stream().filter(n -> n.name.equals(name)).findFirst().orElseThrow();
  }
}
