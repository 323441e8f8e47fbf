package org.salus.core.session;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.salus.core.effect.SessionEffect;

/**
 * The blocks that no member had when they were read. They stay here until a member has them again
 * or they are written anew.
 */
final class Unreadable {
  /** The most blocks to keep; further ones are not reported. */
  static final int MOST = 1024;

  private final SessionContext c;
  private final TreeSet<Long> blocks = new TreeSet<>();

  Unreadable(SessionContext c) {
    this.c = c;
  }

  void found(int region, List<Long> missing, String what) {
    missing.stream().limit(Math.max(0, MOST - blocks.size())).forEach(blocks::add);
    c.out(
        new SessionEffect.Unreadable(
            region, missing.stream().filter(blocks::contains).toList(), what));
  }

  /** Forgets blocks that can be read or were written anew. */
  void forget(long from, long to) {
    SortedSet<Long> there = blocks.subSet(from, to);
    if (!there.isEmpty()) {
      c.out(new SessionEffect.Readable(List.copyOf(there)));
      there.clear();
    }
  }
}
