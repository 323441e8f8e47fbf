package org.salus.core.session.question;

import java.util.Arrays;
import org.salus.core.Lanes;

/**
 * Chooses the member of a region to ask: the one with the least load that the session knows of.
 * Members with equal load take turns. A member's load is what it told with its last answer, plus
 * the questions since. While a member owes no answer, its load shrinks by one with every question
 * to another member. So a member that was slow once is asked again.
 */
public final class LeastLoaded {
  /** The load added to a member that did not answer in time, in questions. */
  static final int LATE = 32;

  private final int[] load = new int[Lanes.COUNT];
  private final int[] owed = new int[Lanes.COUNT];
  private int turn;

  /** The lane of the member to ask; it is asked only once {@link #asked} says so. */
  public int choose() {
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

  public void asked(int lane) {
    owed[lane]++;
    load[lane]++;
  }

  /**
   * @param told the number of requests that the member still has in hand
   */
  public void answered(int lane, int told) {
    owed[lane]--;
    load[lane] = Math.max(0, told);
  }

  /** Notes that a question needs no answer any more. */
  public void settled(int lane) {
    owed[lane]--;
    load[lane] = Math.max(0, load[lane] - 1);
  }

  /** Notes that no answer came in time. A later answer does not change the load. */
  public void late(int lane) {
    owed[lane]--;
    load[lane] += LATE;
  }

  /** Forgets all loads: other members act in these lanes now. */
  public void replaced() {
    Arrays.fill(load, 0);
    Arrays.fill(owed, 0);
  }
}
