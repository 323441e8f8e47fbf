package org.salus.core.session;

import java.util.Arrays;
import org.salus.core.Lanes;

/**
 * Which member of a region to ask: the one that has least to do, as far as the session knows, and
 * of those that have equally much to do one after the other. What it knows is what a member told
 * with its last answer and what was asked of it since. Of a member that owes no answer this is out
 * of date, and counts for one less with every question that passes the member by: one that was slow
 * once is asked again.
 */
final class LeastLoaded {
  /** Questions that pass by a member which did not answer in time. */
  static final int LATE = 32;

  private final int[] load = new int[Lanes.COUNT];
  private final int[] owed = new int[Lanes.COUNT];
  private int turn;

  /** The lane of the member to ask; it is asked only once {@link #asked} says so. */
  int choose() {
    turn = (turn + 1) % Lanes.COUNT;
    int best = turn;
    for (int i = 1; i < Lanes.COUNT; i++) {
      int lane = (turn + i) % Lanes.COUNT;
      best = load[lane] < load[best] ? lane : best;
    }
    for (int lane = 0; lane < Lanes.COUNT; lane++) {
      if (lane != best && owed[lane] == 0) {
        load[lane] = Math.max(0, load[lane] - 1);
      }
    }
    return best;
  }

  void asked(int lane) {
    owed[lane]++;
    load[lane]++;
  }

  /**
   * @param told what the member still has to do
   */
  void answered(int lane, int told) {
    owed[lane]--;
    load[lane] = Math.max(0, told);
  }

  /** No answer came in time; if one comes yet, it does not count. */
  void late(int lane) {
    owed[lane]--;
    load[lane] += LATE;
  }

  /** Other members act in these lanes, and owe nothing. */
  void replaced() {
    Arrays.fill(load, 0);
    Arrays.fill(owed, 0);
  }
}
