package org.salus.core.replacement;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.salus.core.Lanes;

/**
 * Which of a cluster's servers members leave, because somebody takes their DataNodes out, or
 * because their replicas are not where they should be.
 */
record Leaving(ClusterView cluster, ReplicaPlaces places) {
  /** Whether members leave the DataNode of a server that runs. */
  boolean isLeft(String node) {
    return is(node, DataNodeState::isLeft);
  }

  /** Whether HDFS places no replica any more on the DataNodes of these servers, which all run. */
  boolean allRetire(Collection<String> nodes) {
    return nodes.stream().allMatch(this::isRetiring);
  }

  /** Whether HDFS places no replica any more on the DataNode of a server that runs. */
  boolean isRetiring(String node) {
    return is(node, DataNodeState::isRetiring);
  }

  private boolean isFull(String node) {
    return is(node, state -> state == DataNodeState.FULL);
  }

  private boolean is(String node, Predicate<DataNodeState> wanted) {
    return cluster.running().containsKey(node) && wanted.test(cluster.dataNode(places.now(node)));
  }

  private boolean isAway(String node) {
    return cluster.running().containsKey(node) && places.isAway(places.now(node));
  }

  /** Whether nobody leaves it, and its replica is beside it and has room. */
  private boolean stays(String node) {
    return !isLeft(node) && !isFull(node) && !isAway(node);
  }

  /** Those that nobody leaves, and whose replicas are where they should be. */
  List<String> staying(List<String> nodes) {
    return nodes.stream().filter(this::stays).toList();
  }

  /**
   * The holders that can be members of another epoch, those that leave last.
   *
   * @param having the holders that run with their DataNodes
   * @param joins whether the epoch opens for a spare. It takes the place of one that leaves
   */
  List<String> able(List<String> having, boolean joins) {
    List<String> able =
        having.stream()
            .filter(n -> !isRetiring(n))
            .sorted(Comparator.comparing(n -> !stays(n)))
            .toList();
    boolean leaves = joins && !able.stream().allMatch(this::stays);
    return leaves ? able.subList(0, Math.min(able.size(), Lanes.COUNT - 1)) : able;
  }

  /** What is said of the DataNodes that are left or full, those of these members first. */
  String whyNoneJoins(List<String> members) {
    return words(
        Stream.concat(members.stream(), cluster.running().keySet().stream())
            .filter(n -> isLeft(n) || isFull(n))
            .distinct());
  }

  /** What is said of those of these servers that leave, in words. */
  String words(Collection<String> nodes) {
    return words(nodes.stream().filter(n -> !stays(n)));
  }

  private String words(Stream<String> nodes) {
    return nodes
        .map(
            n ->
                isLeft(n) || isFull(n)
                    ? "the DataNode of " + n + " " + cluster.dataNode(places.now(n)).words()
                    : "the replica of " + n + " is on another machine")
        .collect(Collectors.joining(", "));
  }
}
