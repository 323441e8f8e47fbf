package org.salus.sim.fault;

import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The faults that the promise covers. Freshness, order and durability hold while each region keeps
 * one pair of member and DataNode that runs, is right and has all of the region's data. So at most
 * two of the three pairs may be crashed or wrong.
 *
 * <ul>
 *   <li>While no disk is damaged and no member is wrong, anything may crash: processes come back,
 *       and disks stay. Region servers need not come back while their DataNodes run, and one of
 *       these may be away.
 *   <li>Disks are damaged only while every region serves. What recovery has copied from a replica
 *       before is not read again.
 *   <li>With damage or a wrong member, one pair that has all of a region's data stays whole, right
 *       and up. While one member is wrong, no disk is damaged and all others run, these may be away
 *       for a while once each region has served: for less time than the master waits for them
 *       ({@code KeeperTimes}).
 *   <li>A pair whose DataNode is decommissioned counts for nothing: no epoch opens with it.
 *   <li>At most two nodes are wrong at a time.
 * </ul>
 *
 * <p>A damaged node counts as damaged to the end of the run.
 */
public final class Budget {
  private static final int MOST_WRONG = 2;

  private final Levers levers;
  private final boolean unlimited;
  private final TreeMap<String, Integer> down = new TreeMap<>();
  private final TreeSet<String> damaged = new TreeSet<>();
  private final TreeSet<String> wrong = new TreeSet<>();
  private boolean everWrong;

  /**
   * @param unlimited whether faults may exceed the promise; only P8 is then checked
   */
  public Budget(Levers levers, boolean unlimited) {
    this.levers = levers;
    this.unlimited = unlimited;
  }

  public boolean isUnlimited() {
    return unlimited;
  }

  /** Whether this node may be crashed, paused or cut off now. */
  public boolean mayGoDown(String node) {
    return unlimited || damaged.isEmpty() && wrong.isEmpty() || othersHold(node);
  }

  /** Whether all nodes may crash at once, to start again at once. */
  public boolean mayAllCrash() {
    return unlimited || wrong.isEmpty() && (damaged.isEmpty() || down.isEmpty());
  }

  /** Whether an operator may take a right member or its DataNode out: not the last one. */
  public boolean mayBeTakenOut(String node) {
    return unlimited || wrong.isEmpty() && damaged.isEmpty() || othersHold(node);
  }

  /** Whether the region servers of all holders may go, while all their DataNodes but one stay. */
  public boolean mayServersGo() {
    return unlimited || wrong.isEmpty() && damaged.isEmpty() && down.isEmpty();
  }

  /** Whether all right holders of a region may be away for a while. */
  public boolean mayRightOnesGo() {
    return unlimited || onlyWrong() != null && damaged.isEmpty() && down.isEmpty();
  }

  /** The node that is wrong, if it is one; else null. */
  public String onlyWrong() {
    return wrong.size() == 1 ? wrong.first() : null;
  }

  public boolean mayBeDamaged(String node) {
    return unlimited || levers.isWhole() && othersHold(node);
  }

  public boolean mayBeWrong(String node) {
    return unlimited || wrong.size() < MOST_WRONG && othersHold(node);
  }

  private boolean othersHold(String node) {
    Predicate<String> sound =
        n -> !n.equals(node) && !down.containsKey(n) && !damaged.contains(n) && !wrong.contains(n);
    return levers.pairs().stream()
        .allMatch(
            of ->
                of.stream()
                    .anyMatch(
                        h ->
                            sound.test(h.node())
                                && sound.test(h.dataNode())
                                && levers.isUp(h.node())
                                && levers.hasDataNode(h.dataNode())
                                && !levers.isRetiring(h.dataNode())));
  }

  public void goesDown(String node) {
    down.merge(node, 1, Integer::sum);
  }

  public void isUpAgain(String node) {
    down.computeIfPresent(node, (k, n) -> n == 1 ? null : n - 1);
  }

  public void damages(String node) {
    damaged.add(node);
  }

  public void turnsWrong(String node) {
    wrong.add(node);
    everWrong = true;
  }

  public void isRightAgain(String node) {
    wrong.remove(node);
  }

  /** Whether members may be found wanting: some disk is damaged, or some member was wrong. */
  public boolean isTainted() {
    return everWrong || !damaged.isEmpty();
  }

  /** The nodes whose disks are damaged. */
  public List<String> damaged() {
    return List.copyOf(damaged);
  }
}
