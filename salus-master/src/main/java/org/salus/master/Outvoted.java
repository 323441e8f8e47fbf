package org.salus.master;

import java.util.List;
import org.salus.common.zk.RrsRecord;
import org.salus.common.zk.RrsRecord.Cause;

/**
 * Whom to suspect when a member of one region differs from two others. The one, at first; but two may be wrong in the same
 * way, and would put out whoever is right until they are alone. So when somebody differs from the same two again, one of these
 * goes, and of the other and two more at most one is wrong. For one thread.
 */
final class Outvoted {
  private List<String> two = List.of();
  private int epoch;
  private String suspect = "";

  /** The member to leave out after the epoch that this record is of, or empty. */
  String suspect(RrsRecord rrs) {
    if (rrs.cause() != Cause.DIFFERED || rrs.suspect().isEmpty()) {
      return rrs.suspect();
    }
    if (rrs.epoch() > epoch) {
      List<String> others = rrs.nodes().stream().filter(n -> !n.equals(rrs.suspect())).sorted().toList();
      boolean again = others.equals(two) && others.size() > 1;
      suspect = again ? others.get(0) : rrs.suspect();
      two = again ? List.of() : others;
      epoch = rrs.epoch();
    }
    return suspect;
  }
}
