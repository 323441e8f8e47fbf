package org.salus.core.replacement;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * Which servers can join a region, best first. DataNodes are asked only as far as the streams are
 * read, because asking a dead one takes long.
 *
 * @param troubled the servers that broke an epoch of any region of the volume
 */
record Spares(ClusterView cluster, ReplicaPlaces places, Troubled troubled) {
  private static final long MILLI = 1_000_000L;

  /**
   * The servers that can join. First comes the server that gets ready, then those that should have
   * the region's members. Servers whose replicas have no place on a live DataNode are left out,
   * because they would break the epoch.
   *
   * @param members those that go on
   * @param known if members differed and nobody can tell who is right, a third must. So servers
   *     that broke an epoch lately come after all others then: they may have been right.
   */
  Stream<Member> of(RrsRecord rrs, Collection<Member> members, Suspicions known) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>();
    if (rrs.joining() != null) {
      nodes.add(rrs.joining().member().node());
    }
    if (members.isEmpty()) { // their DataNodes may have got other addresses
      nodes.addAll(rrs.holders());
    }
    nodes.addAll(cluster.placement());
    Stream<Member> best = joining(nodes, members, rrs).filter(m -> !isTroubled(m));
    return known.differed() && known.suspect().isEmpty()
        ? Stream.concat(best, joining(nodes, members, rrs).filter(this::isTroubled))
        : best;
  }

  private Stream<Member> joining(
      Collection<String> nodes, Collection<Member> members, RrsRecord rrs) {
    return of(nodes, members).filter(m -> !isSuspect(m.node(), rrs));
  }

  private boolean isTroubled(Member server) {
    return troubled.has(server.node(), cluster.nanos());
  }

  /**
   * The servers that run and whose replicas have a place, with this place: these first, then
   * others. Those without a fit DataNode beside them come after all others, and servers that are
   * drained come last.
   */
  Stream<Member> of(Collection<String> first, Collection<Member> members) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>(first);
    nodes.addAll(cluster.running().keySet());
    Map<String, Member> running = cluster.running();
    List<Member> servers =
        nodes.stream()
            .filter(running::containsKey)
            .map(running::get)
            .sorted(
                Comparator.<Member, Boolean>comparing(this::isDrained)
                    .thenComparing(m -> cluster.dataNode(m) != DataNodeState.IN_SERVICE))
            .toList();
    return Stream.concat(
        servers.stream()
            .filter(m -> !isDrained(m))
            .flatMap(m -> places.joining(m.node(), members).stream())
            .filter(places::isFit),
        servers.stream()
            .flatMap(m -> places.joining(m.node(), members).stream())
            .filter(m -> isDrained(m) || !places.isFit(m)));
  }

  private boolean isDrained(Member server) {
    return cluster.dataNode(server) == DataNodeState.DRAINED;
  }

  /** Whether the server was just left out as the suspect, perhaps by another master. */
  private boolean isSuspect(String node, RrsRecord rrs) {
    long since = (cluster.millis() - rrs.history().since()) * MILLI;
    return rrs.suspicions().suspect().equals(node) && 0 <= since && since < Troubled.NANOS;
  }
}
