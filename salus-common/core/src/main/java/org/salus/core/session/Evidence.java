package org.salus.core.session;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.core.Lanes;

/**
 * The wrong answers of one epoch's members to one question. They count against a member only if
 * another one has answered the same question rightly. If nobody has what is asked for, no member is
 * to blame, and the region is no better off without them.
 */
final class Evidence {

  private record Answer(boolean wrong, String what) {}

  private final Map<Integer, Answer> byLane = new TreeMap<>();

  /** Whether this lane's member has not answered wrongly yet. */
  boolean isNew(int lane) {
    return !byLane.containsKey(lane);
  }

  /**
   * @param wrong whether the answer was wrong; otherwise the member said that it could not answer
   */
  void add(int lane, boolean wrong, String what) {
    byLane.putIfAbsent(lane, new Answer(wrong, what));
  }

  /**
   * Forgets a member's wrong answer: it has answered rightly by now, because its replica was
   * repaired.
   */
  void forgive(int lane) {
    byLane.remove(lane);
  }

  /** Whether no member has what is asked for. */
  boolean isComplete() {
    return byLane.size() == Lanes.COUNT;
  }

  /** Forgets everything: the region has other members. */
  void clear() {
    byLane.clear();
  }

  /** Reports every wrong answer. */
  void report(SessionContext c, int region, boolean proven) {
    byLane.forEach(
        (lane, a) -> {
          if (a.wrong) {
            c.report(region, lane, proven, a.what);
          }
        });
  }

  String text() {
    return byLane.entrySet().stream()
        .map(e -> "member " + e.getKey() + " " + e.getValue().what)
        .collect(Collectors.joining(", "));
  }
}
