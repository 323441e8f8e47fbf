package org.salus.master;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.salus.common.zk.RrsRecord;

/**
 * Which holders of one region's data have failed it since it last served. Where two of three fail for good, leaving out only
 * the last that failed would take the two in turns, for ever. For one thread.
 */
final class Failures {
  /** So often a holder may fail: what was wrong the first time may have passed, and each copy of the data counts. */
  private static final int MOST = 2;

  private final Map<String, Integer> times = new HashMap<>();
  private int served;
  private int noted;

  /** The epoch that this record is of has ended, for what the suspect did. */
  void note(RrsRecord rrs, String suspect) {
    if (rrs.served() != served) {
      times.clear();
      served = rrs.served();
    }
    if (rrs.epoch() > noted) {
      times.merge(suspect, 1, Integer::sum);
      noted = rrs.epoch();
    }
  }

  /** Those that the next epoch had better have: not the suspect, and none that has failed too often while there are others. */
  List<String> trusted(List<String> having, String suspect) {
    List<String> others = having.stream().filter(n -> !n.equals(suspect)).toList();
    List<String> best = others.stream().filter(n -> times.getOrDefault(n, 0) < MOST).toList();
    if (best.isEmpty()) {
      times.clear();
      return others;
    }
    return best;
  }
}
