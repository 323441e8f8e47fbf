package org.salus.core;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The three lanes in which batches are committed (paper §4.1). An epoch of fewer members has three
 * lanes too: its last member acts in every lane that has no member of its own.
 */
public final class Lanes {
  /** The number of lanes of every region. */
  public static final int COUNT = 3;

  private Lanes() {}

  /** The place in the chain of the member that acts in a lane. */
  public static int member(int lane, int members) {
    return Math.min(lane, members - 1);
  }

  /** The lanes in which the member at this place in the chain acts. */
  public static List<Integer> of(int place, int members) {
    return IntStream.range(0, COUNT)
        .filter(lane -> member(lane, members) == place)
        .boxed()
        .toList();
  }
}
