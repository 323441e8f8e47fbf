package org.salus.sim.fault;

import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What the promise covers: freshness, order and durability while at most two of the three pairs of
 * member and DataNode of each region are crashed or wrong, which is while each region has one pair
 * that runs, is right and holds all of its data.
 *
 * <ul>
 *   <li>While no disk is damaged and no member wrong, anything may crash: processes come back,
 *       disks stay.
 *   <li>Disks are damaged while every region serves: what recovery copies from a replica after it
 *       was read, nobody reads again.
 *   <li>With damage, or a wrong member, one pair that holds all of a region's data stays whole,
 *       right and up.
 *   <li>At most two nodes at a time are wrong.
 * </ul>
 *
 * <p>A node that was damaged counts as damaged to the end of the run.
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
   * @param unlimited more than the promise covers: refusing is all that is asked then
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

  public boolean mayBeDamaged(String node) {
    return unlimited || levers.isWhole() && othersHold(node);
  }

  public boolean mayBeWrong(String node) {
    return unlimited || wrong.size() < MOST_WRONG && othersHold(node);
  }

  private boolean othersHold(String node) {
    Predicate<String> sound =
        n ->
            !n.equals(node)
                && levers.isUp(n)
                && !down.containsKey(n)
                && !damaged.contains(n)
                && !wrong.contains(n);
    return levers.holders().stream().allMatch(of -> of.stream().anyMatch(sound));
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

  /** Nodes whose disks are damaged. */
  public List<String> damaged() {
    return List.copyOf(damaged);
  }
}
