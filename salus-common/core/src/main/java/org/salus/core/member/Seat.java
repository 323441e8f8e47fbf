package org.salus.core.member;

import java.util.List;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.replacement.Succession;

/**
 * One member's place in one epoch of a region.
 *
 * @param members the node names of the epoch's members, in chain order
 * @param place this member's index in {@code members}, from 0
 * @param succession in what way the epoch takes the place of the one before
 */
public record Seat(
    RegionId region, int epoch, List<String> members, int place, Succession succession) {
  /** Copies the list. */
  public Seat {
    members = List.copyOf(members);
  }

  /** A place in an epoch before which nothing was acknowledged. */
  public Seat(RegionId region, int epoch, List<String> members, int place) {
    this(region, epoch, members, place, Succession.FIRST);
  }

  /** The name of this member's node, with which it signs. */
  public String name() {
    return members.get(place);
  }

  /** The lanes in which this member acts. */
  public List<Integer> lanes() {
    return Lanes.of(place, members.size());
  }
}
