package org.salus.core.member;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.message.Message.ConfirmQuery;

/**
 * The questions of other regions' leaders that wait until this leader has decided (paper §4.1,
 * PC3). No region can ask so much that it takes the place of another.
 */
final class WaitingQueries {
  /** The seqs, with the view of each question, by the region that asks. */
  private final TreeMap<Integer, TreeMap<Long, Integer>> byAsker = new TreeMap<>();

  /** Adds a question. If its region has too many, it forgets the farthest from what is decided. */
  void add(ConfirmQuery q) {
    TreeMap<Long, Integer> seqs = byAsker.computeIfAbsent(q.asker(), k -> new TreeMap<>());
    seqs.merge(q.seq(), q.view(), Math::max);
    if (of(q.asker()) > MemberConfig.MOST_UNKNOWN) {
      seqs.pollLastEntry();
    }
  }

  /** Takes what is decided, and returns the regions that have asked for it. */
  List<Integer> take(long decided, int view) {
    List<Integer> askers = new ArrayList<>();
    byAsker.forEach(
        (asker, seqs) -> {
          if (seqs.headMap(decided, true).values().removeIf(asked -> asked <= view)) {
            askers.add(asker);
          }
        });
    return askers;
  }

  /** The number of questions of one region. */
  int of(int asker) {
    return byAsker.containsKey(asker) ? byAsker.get(asker).size() : 0;
  }

  void clear() {
    byAsker.clear();
  }
}
