package org.salus.core.replacement;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.salus.core.Lanes;
import org.salus.core.replacement.RrsRecord.Member;

/** Which of a cluster's servers members leave, because somebody takes their DataNodes out. */
record Leaving(ClusterView cluster) {
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

  private boolean is(String node, Predicate<DataNodeState> wanted) {
    Member server = cluster.running().get(node);
    return server != null && wanted.test(cluster.dataNode(server));
  }

  /** Those that nobody leaves. */
  List<String> staying(List<String> nodes) {
    return nodes.stream().filter(n -> !isLeft(n)).toList();
  }

  /**
   * The holders that can be members of another epoch, those that are drained last.
   *
   * @param having the holders that run with their DataNodes
   * @param joins whether the epoch opens for a spare. It takes the place of one that is drained
   */
  List<String> able(List<String> having, boolean joins) {
    List<String> able =
        having.stream()
            .filter(n -> !isRetiring(n))
            .sorted(Comparator.comparing(this::isLeft))
            .toList();
    boolean leaves = joins && able.stream().anyMatch(this::isLeft);
    return leaves ? able.subList(0, Math.min(able.size(), Lanes.COUNT - 1)) : able;
  }

  /** What is said of the DataNodes of all servers that members leave, in words. */
  String words() {
    return words(cluster.running().keySet());
  }

  /** What is said of the DataNodes of those of these servers that members leave, in words. */
  String words(Collection<String> nodes) {
    return nodes.stream()
        .filter(this::isLeft)
        .map(n -> "the DataNode of " + n + " " + cluster.dataNode(cluster.running().get(n)).words())
        .collect(Collectors.joining(", "));
  }
}
