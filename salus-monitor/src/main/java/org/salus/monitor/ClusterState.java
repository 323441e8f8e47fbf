package org.salus.monitor;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.salus.client.VolumeInfo;

/**
 * What a daemon shows of the cluster. Immutable.
 *
 * @param server {@code host:port} of the daemon
 * @param role what it is, for people
 * @param at when this was so
 * @param problem why the volumes are not known, in words; empty when they are
 * @param volumes the volumes, as {@code salus volume info --json} shows them
 * @param events the newest changes of members, newest first
 */
public record ClusterState(
    String server,
    String role,
    Instant at,
    String problem,
    List<VolumeInfo> volumes,
    List<Event> events) {
  private static final int MOST_EVENTS = 50;

  /**
   * A change of a region's members.
   *
   * @param epoch the epoch that it began
   * @param note why the epoch began, or what became of it
   */
  public record Event(
      Instant at, String volume, int region, int epoch, String state, String note) {}

  /** The state of these volumes. */
  public static ClusterState of(String server, String role, Instant at, List<VolumeInfo> volumes) {
    return new ClusterState(server, role, at, "", volumes, events(volumes));
  }

  /**
   * Nothing is known of the volumes.
   *
   * @param problem why, in words
   */
  public static ClusterState unknown(String server, String role, Instant at, String problem) {
    return new ClusterState(server, role, at, problem, List.of(), List.of());
  }

  private static List<Event> events(List<VolumeInfo> volumes) {
    return volumes.stream()
        .flatMap(
            v ->
                v.regions().stream()
                    .filter(r -> r.since() != null)
                    .map(
                        r ->
                            new Event(
                                r.since(), v.name(), r.index(), r.epoch(), r.state(), r.note())))
        .sorted(Comparator.comparing(Event::at).reversed())
        .limit(MOST_EVENTS)
        .toList();
  }

  /**
   * The same, but only regions that have a member on this node, or lately had, and only its scrub.
   */
  public ClusterState of(String node) {
    List<VolumeInfo> here =
        volumes.stream().map(v -> of(v, node)).filter(Objects::nonNull).toList();
    return new ClusterState(server, role, at, problem, here, events(here));
  }

  private static VolumeInfo of(VolumeInfo v, String node) {
    List<VolumeInfo.Region> regions =
        v.regions().stream()
            .filter(
                r ->
                    r.members().stream().anyMatch(m -> m.node().equals(node))
                        || r.former().stream().anyMatch(f -> f.node().equals(node)))
            .toList();
    return regions.isEmpty()
        ? null
        : new VolumeInfo(
            v.name(),
            v.id(),
            v.shape(),
            v.deleting(),
            v.health(),
            v.why(),
            v.writer(),
            v.confirmed(),
            v.losses(),
            regions,
            v.scrubs().stream().filter(s -> s.node().equals(node)).toList());
  }

  /** The scrubs of all servers, each once, by the servers' names. */
  List<VolumeInfo.Scrub> scrubs() {
    return volumes.stream()
        .flatMap(v -> v.scrubs().stream())
        .collect(Collectors.toMap(VolumeInfo.Scrub::node, s -> s, (a, b) -> a))
        .values()
        .stream()
        .sorted(Comparator.comparing(VolumeInfo.Scrub::node))
        .toList();
  }

  /** The number of volumes in this state of health. */
  long count(String health) {
    return volumes.stream().filter(v -> v.health().equals(health)).count();
  }
}
