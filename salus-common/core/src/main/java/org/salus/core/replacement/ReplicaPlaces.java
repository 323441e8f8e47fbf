package org.salus.core.replacement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * Chooses the DataNode that has each member's replica (paper §4.2.1). The paper wants it beside the
 * member, unless HDFS' policy says otherwise. So a replica is elsewhere while HDFS places nothing
 * on that DataNode: it retires, it is full, or it has been silent for long. No two members have the
 * same DataNode. For one look at a region.
 */
final class ReplicaPlaces {
  private final Map<String, Member> held = new HashMap<>();
  private final RegionKeeper.Cluster cluster;
  private final List<String> spares;

  /**
   * @param served the epoch that served last, or null
   * @param turn the number of attempts in vain. Each prefers another DataNode
   */
  ReplicaPlaces(EpochLink served, RegionKeeper.Cluster cluster, int turn) {
    if (served != null) {
      served.members().forEach(m -> held.put(m.node(), m));
    }
    this.cluster = cluster;
    this.spares = new ArrayList<>(cluster.dataNodes());
    Collections.rotate(spares, -turn);
  }

  /** The server, with the DataNode that has its data, or else with the one beside it. */
  Member now(String node) {
    return held.getOrDefault(node, cluster.running().get(node));
  }

  /** The one server, as the member that it could be, or empty if no DataNode can take a replica. */
  Optional<Member> of(String node) {
    return among(List.of(), node);
  }

  /** Like {@link #of}, but for a server that joins these members. */
  Optional<Member> among(List<String> members, String node) {
    List<String> all = new ArrayList<>(members);
    all.add(node);
    return of(all, false).stream().filter(m -> m.node().equals(node)).findFirst();
  }

  /**
   * The servers as members, without those for which no DataNode can take a replica. A replica stays
   * where it is if it can.
   *
   * @param nodes servers that run
   * @param comeHome whether a replica comes back to the DataNode beside its member if it can
   */
  List<Member> of(List<String> nodes, boolean comeHome) {
    Map<String, String> chosen = new HashMap<>();
    for (String n : nodes) {
      String usual = usual(n, comeHome);
      if (isFit(n, usual) && !chosen.containsValue(usual)) {
        chosen.put(n, usual);
      }
    }
    for (String n : nodes) {
      if (!chosen.containsKey(n)) {
        other(n, chosen).ifPresent(d -> chosen.put(n, d));
      }
    }
    return nodes.stream().filter(chosen::containsKey).map(n -> at(n, chosen.get(n))).toList();
  }

  private String usual(String node, boolean comeHome) {
    String beside = cluster.running().get(node).dataNode();
    return comeHome && spares.contains(beside) ? beside : now(node).dataNode();
  }

  private Optional<String> other(String node, Map<String, String> chosen) {
    String usual = now(node).dataNode();
    return Stream.concat(
            Stream.of(usual, cluster.running().get(node).dataNode()).filter(d -> isFit(node, d)),
            Stream.concat(
                spares.stream().filter(d -> cluster.hasDataNode(at(node, d))),
                Stream.of(usual).filter(d -> !cluster.dataNode(at(node, d)).isRetiring())))
        .filter(d -> !chosen.containsValue(d))
        .findFirst();
  }

  private boolean isFit(String node, String dataNode) {
    Member there = at(node, dataNode);
    DataNodeState state = cluster.dataNode(there);
    return !state.isRetiring()
        && state != DataNodeState.FULL
        && (state != DataNodeState.STALE || cluster.hasDataNode(there));
  }

  private Member at(String node, String dataNode) {
    return new Member(node, cluster.running().get(node).startCode(), dataNode);
  }
}
