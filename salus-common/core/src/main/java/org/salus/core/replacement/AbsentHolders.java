package org.salus.core.replacement;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Succession.Waiver;

/**
 * How long a region waits for holders that are no members of its newest epoch (paper §2.1). One
 * that is away may be the only right one. Not thread-safe.
 */
final class AbsentHolders {
  /** No epoch served before. */
  private static final int NEVER = -1;

  private final KeeperRules rules;
  private final KeeperTimes times;

  /** Since when no epoch serves, by the epoch that served last. */
  private Since<Integer> unserved = new Since<>(NEVER, 0);

  /** The nodes that were taken back since the region served last. */
  private final Set<String> tried = new TreeSet<>();

  AbsentHolders(KeeperRules rules, KeeperTimes times) {
    this.rules = rules;
    this.times = times;
  }

  /**
   * Takes a look at the region.
   *
   * @param serves whether its newest epoch serves and can go on
   */
  void look(RrsRecord rrs, boolean serves, ClusterView cluster) {
    if (serves) {
      stopTheClock();
      tried.clear();
    } else {
      unserved = unserved.of(rrs.served(), cluster);
    }
  }

  /** Whether an epoch may have to wait for them, or for the word of the volume's user. */
  static boolean mayWait(RrsRecord rrs) {
    return rrs.state() == State.OPENING && !rrs.hasServed() && mayWait(rrs.link());
  }

  /** The same of an epoch that opens. */
  static boolean mayWait(EpochLink link) {
    return link.waiver() != Waiver.TIME_IS_OVER && !link.succession().isWhole();
  }

  /** Why the next epoch may serve without them, though no user has said that nothing is missing. */
  Waiver waiver(RrsRecord rrs, ClusterView cluster) {
    unserved = unserved.of(rrs.served(), cluster);
    return rules.waiver(
        !unserved.isWithin(rrs.served(), times.proof(), cluster),
        !unserved.isWithin(rrs.served(), times.opening(), cluster),
        cluster.hasUser());
  }

  /** The waiver under which another epoch of the same members need not wait, if there is one. */
  Optional<Waiver> newWaiver(RrsRecord rrs, ClusterView cluster) {
    Waiver waiver = waiver(rrs, cluster);
    return isEnough(waiver, rrs) && !isEnough(rrs.link().waiver(), rrs)
        ? Optional.of(waiver)
        : Optional.empty();
  }

  private static boolean isEnough(Waiver waiver, RrsRecord rrs) {
    return waiver == Waiver.TIME_IS_OVER
        || waiver == Waiver.NO_USER && rrs.link().succession().staying() >= 2;
  }

  /** What is said of an epoch that need not wait, in words. */
  static String words(RrsRecord rrs, Waiver waiver) {
    return of(rrs)
        + (waiver == Waiver.NO_USER
            ? " are away, and the volume has no user"
            : " did not come back, and no user has said that nothing is missing");
  }

  /** Nobody can be asked meanwhile, so the time does not count. */
  void stopTheClock() {
    unserved = new Since<>(NEVER, 0);
  }

  /**
   * Those that run with their DataNodes by now. Each is named once until the region serves: its
   * process may end whenever the epoch opens. One that members leave is not named if the epoch can
   * do without it: it would be put out again, for ever. Neither is one whose replica moves: it is
   * there, and reads what it has where it was.
   */
  List<String> back(RrsRecord rrs, ReplicaPlaces places, ClusterView cluster) {
    Leaving leaving = new Leaving(cluster, places);
    boolean isNeeded = !canDoWithout(rrs, cluster);
    return of(rrs).stream()
        .filter(n -> cluster.running().containsKey(n) && cluster.hasDataNode(places.now(n)))
        .filter(n -> !tried.contains(n) && !rrs.link().moves(n))
        .filter(n -> isNeeded || !leaving.isLeft(n))
        .toList();
  }

  /** Two holders have what the third has, and no member has lost its DataNode. */
  private static boolean canDoWithout(RrsRecord rrs, ClusterView cluster) {
    return rrs.link().succession().staying() >= 2
        && rrs.members().stream().allMatch(cluster::hasDataNode);
  }

  /** They were taken back. */
  void tookBack(List<String> nodes) {
    tried.addAll(nodes);
  }

  private static List<String> of(RrsRecord rrs) {
    return rrs.link().absent().stream().map(Member::node).toList();
  }
}
