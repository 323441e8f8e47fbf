package org.salus.core.replacement;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * Chooses the DataNode that has each member's replica (paper §4.2.1). A hint is a preference: the
 * replica is beside the member, unless HDFS places nothing there, the DataNode is full, or it is
 * dead. A holder's replica never moves with it: on another DataNode the same server is a joiner. So
 * the data's place is that of the epoch that served last, whatever became of the epochs after it.
 * For one look at a region.
 */
final class ReplicaPlaces {
  private final ClusterView cluster;
  private final KeeperRules rules;

  /** The members of the epoch that served last, by node. */
  private final Map<String, Member> holders = new TreeMap<>();

  /** The DataNodes beside servers that are drained. */
  private final Set<String> drained;

  /** The other DataNodes with ample room, best first. */
  private final List<String> roomy;

  /**
   * @param turn the number of the next epoch: each prefers another DataNode, since one may not do
   */
  ReplicaPlaces(RrsRecord rrs, ClusterView cluster, KeeperRules rules, int turn) {
    this.cluster = cluster;
    this.rules = rules;
    if (rrs != null) {
      rrs.holding().forEach(m -> holders.put(m.node(), m));
    }
    this.drained = cluster.drainedDataNodes();
    this.roomy = new ArrayList<>(cluster.dataNodes());
    roomy.removeAll(drained);
    Collections.rotate(roomy, -turn);
  }

  /**
   * A server that runs, with the DataNode that has its data if it is a holder, and else with the
   * one beside it.
   */
  Member now(String node) {
    Member holder = holders.get(node);
    return holder == null ? beside(node) : at(node, holder.dataNode());
  }

  private Member beside(String node) {
    return cluster.running().get(node);
  }

  private Member at(String node, String dataNode) {
    return new Member(node, beside(node).startCode(), dataNode);
  }

  /** Whether a member's replica is on another machine than the member, whose server runs. */
  boolean isAway(Member m) {
    return cluster.running().containsKey(m.node())
        && !beside(m.node()).dataNode().equals(m.dataNode());
  }

  /** Whether a member's server runs beside another DataNode than the member had, which is alive. */
  boolean hasOtherDataNode(Member m) {
    return isAway(m) && cluster.hasDataNode(beside(m.node()));
  }

  /** Where a server can have its replica that joins these members, if there is a place. */
  Optional<Member> joining(String node, Collection<Member> members) {
    Collection<String> taken = taken(node, members);
    Member beside = beside(node);
    boolean mayBeside = rules.mayPlace(beside.dataNode(), taken) && isLive(beside);
    if (mayBeside && !isFull(beside)) {
      return Optional.of(beside);
    }
    return elsewhere(node, taken).or(() -> Optional.of(beside).filter(m -> mayBeside));
  }

  /**
   * The DataNodes that can have no replica of this server: those with another member's, and those
   * beside other members. So no machine that is lost takes anything of two members.
   */
  private Collection<String> taken(String node, Collection<Member> members) {
    Collection<String> taken = new TreeSet<>();
    for (Member m : members) {
      if (!m.node().equals(node)) {
        taken.add(m.dataNode());
        if (cluster.running().containsKey(m.node())) {
          taken.add(beside(m.node()).dataNode());
        }
      }
    }
    return taken;
  }

  private boolean isLive(Member m) {
    return !cluster.dataNode(m).isRetiring() && cluster.hasDataNode(m);
  }

  private boolean isFull(Member m) {
    return cluster.dataNode(m) == DataNodeState.FULL;
  }

  /** Not for a server beside which another member has its replica. */
  private Optional<Member> elsewhere(String node, Collection<String> taken) {
    if (!rules.mayPlace(beside(node).dataNode(), taken)) {
      return Optional.empty();
    }
    return roomy.stream()
        .filter(d -> !d.equals(beside(node).dataNode()) && rules.mayPlace(d, taken))
        .map(d -> at(node, d))
        .filter(cluster::hasDataNode)
        .findFirst();
  }

  /**
   * The servers as members, without those whose replicas have no place.
   *
   * @param able the holders among them that go on with what they have
   */
  List<Member> of(List<String> nodes, Collection<String> able) {
    List<Member> members = new ArrayList<>();
    nodes.stream().filter(able::contains).forEach(n -> members.add(now(n)));
    nodes.stream()
        .filter(n -> !able.contains(n))
        .forEach(n -> joining(n, members).ifPresent(members::add));
    return nodes.stream().flatMap(n -> members.stream().filter(m -> m.node().equals(n))).toList();
  }

  /** Whether the replica of a server that joins is beside it, and has room there. */
  boolean isFit(Member joining) {
    return !isAway(joining) && !isFull(joining);
  }

  /** Whether a member's DataNode has ample room, so that it is not soon full. */
  boolean isRoomy(Member m) {
    return roomy.contains(m.dataNode());
  }

  /**
   * A better place for the replica of a member of an epoch that serves: at home if there is ample
   * room again, or elsewhere if its DataNode retires, is full or is that of a drained server.
   */
  Optional<Member> better(Member m, List<Member> all) {
    Member beside = beside(m.node());
    if (isAway(m)
        && isRoomy(beside)
        && cluster.dataNode(beside) == DataNodeState.IN_SERVICE
        && cluster.hasDataNode(beside)
        && rules.mayPlace(beside.dataNode(), taken(m.node(), all))) {
      return Optional.of(beside);
    }
    return cluster.dataNode(m).isRetiring() || isFull(m) || isWithDrainedServer(m)
        ? joining(m.node(), all).filter(e -> !e.dataNode().equals(m.dataNode()) && !isFull(e))
        : Optional.empty();
  }

  /** Whether a member's replica is beside another server, which an operator drains. */
  private boolean isWithDrainedServer(Member m) {
    return isAway(m) && drained.contains(m.dataNode());
  }

  /** Where replicas are that are not beside their members, in words, or nothing. */
  String away(Collection<Member> members) {
    return members.stream()
        .filter(this::isAway)
        .map(m -> "the replica of " + m.node() + " is on " + m.dataNode() + ", so it is slower")
        .collect(Collectors.joining("; "));
  }
}
