package org.salus.core.session;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;

/**
 * What the members of one epoch answered wrongly to one question. It is held against a member only
 * when another one has answered the same question rightly: where nobody has what is asked for, the
 * members are not the ones to blame, and the region is not better off without them.
 */
final class Evidence {

  private record Answer(boolean wrong, String what) {}

  private final Map<Integer, Answer> byLane = new TreeMap<>();

  /** Whether this lane has not answered wrongly yet. */
  boolean isNew(int lane) {
    return !byLane.containsKey(lane);
  }

  /**
   * @param wrong it answered with something else; otherwise it said that it could not answer
   */
  void add(int lane, boolean wrong, String what) {
    byLane.putIfAbsent(lane, new Answer(wrong, what));
  }

  /** The member has answered rightly by now: its replica was made anew. */
  void forgive(int lane) {
    byLane.remove(lane);
  }

  /** Whether no member has what is asked for. */
  boolean isComplete() {
    return byLane.size() == Lanes.COUNT;
  }

  /** The region has other members. */
  void clear() {
    byLane.clear();
  }

  /** Reports every wrong answer. */
  void report(SessionContext c, int region, boolean proven) {
    byLane.forEach(
        (lane, a) -> {
          if (a.wrong) {
            c.out(new SessionEffect.Report(region, c.epochs[region], lane, proven, a.what));
          }
        });
  }

  String text() {
    return byLane.entrySet().stream()
        .map(e -> "member " + e.getKey() + " " + e.getValue().what)
        .collect(Collectors.joining(", "));
  }
}
