package org.salus.core.session.question;

import java.util.NavigableSet;
import java.util.TreeMap;
import org.salus.core.Lanes;

/**
 * The questions under way, by the id of their message. About each thing, the newest question to
 * each lane stays until the thing is settled: an answer that comes late is as good as any, since
 * the volume tree confirms it. So a link that is slower than the session's patience still gets
 * things done.
 */
public final class Questions<Q extends Questions.About> {

  /** What is asked about. */
  public abstract static class About {
    /** The id of the newest question to each lane; 0 for none that is unanswered. */
    final long[] ids = new long[Lanes.COUNT];
  }

  private final TreeMap<Long, Q> byId = new TreeMap<>();

  /** Notes a question to a lane. */
  public void ask(Q about, int lane, long id) {
    byId.remove(about.ids[lane]);
    about.ids[lane] = id;
    byId.put(id, about);
  }

  /** The ids of the questions that have no answer yet. */
  public NavigableSet<Long> open() {
    return byId.navigableKeySet();
  }

  /** What the question was about; null if there is none, or no longer. */
  public Q about(long id) {
    return byId.get(id);
  }

  /** The lane that was asked. */
  public int lane(Q about, long id) {
    int lane = 0;
    while (about.ids[lane] != id) {
      lane++;
    }
    return lane;
  }

  /** Notes an answer: the question does not count any more. */
  public void answered(Q about, int lane) {
    byId.remove(about.ids[lane]);
    about.ids[lane] = 0;
  }

  /** Forgets every question about this. */
  public void forget(Q about) {
    for (int lane = 0; lane < Lanes.COUNT; lane++) {
      answered(about, lane);
    }
  }

  public void clear() {
    byId.clear();
  }
}
