package org.salus.sim.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongToIntFunction;

/**
 * A wrong M0 that says that there is room and refuses each change does not use up what the logs
 * keep free for mounts. In a run, a region ends only a few sessions of a user while no write there
 * is acknowledged and no new epoch begins: the pause between two of them doubles.
 */
public final class ReserveLasts implements Checker {
  /** The pauses before one more take longer than all faults last, even if clocks jump. */
  static final int MOST = 7;

  private final LongToIntFunction regionOf;
  private final Map<String, Map<Integer, Integer>> refusals = new TreeMap<>();
  private boolean excused;

  /**
   * @param regionOf the region of a block
   */
  public ReserveLasts(LongToIntFunction regionOf) {
    this.regionOf = regionOf;
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    contents.stream()
        .filter(c -> c.hash() != null) // zeros may have been zeros before
        .forEach(c -> sign(regionOf.applyAsInt(c.block())));
  }

  @Override
  public void serves(int region, int epoch) {
    sign(region);
  }

  private void sign(int region) {
    refusals.values().forEach(of -> of.remove(region));
  }

  @Override
  public void beyondPromise() {
    excused = true;
  }

  @Override
  public void ranOut(String user, int region) {
    int times = refusals.computeIfAbsent(user, u -> new TreeMap<>()).merge(region, 1, Integer::sum);
    if (times > MOST && !excused) {
      throw new Violation(
          "reserve lasts",
          "region "
              + region
              + " has ended "
              + times
              + " sessions of "
              + user
              + " for want of room");
    }
  }
}
