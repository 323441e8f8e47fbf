package org.salus.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.SessionTree;

/**
 * Tells which blocks read as zeros, from the volume tree alone. An answer covers at most a bounded
 * number of pages. A question that cannot be answered in time fails alone.
 */
final class ZeroScan {
  private static final int MAX_PAGES = 256;

  /** The most questions that wait and are looked at, behind which others wait too. */
  private static final int LOOK_AHEAD = 8;

  /**
   * @param after the last earlier write to the blocks that was not in a batch at the call, or null
   */
  private record Request(long id, long first, long count, long since, WriteRequest after) {
    boolean waitsForWrite() {
      return after != null && after.isQueuedFor(first, first + count);
    }
  }

  private final SessionContext c;
  private final PageFetcher pages;
  private final WritePipeline writes;

  /** Oldest first. */
  private final Deque<Request> delayed = new ArrayDeque<>();

  ZeroScan(SessionContext c, PageFetcher pages, WritePipeline writes) {
    this.c = c;
    this.pages = pages;
    this.writes = writes;
  }

  void add(long id, long first, long count, long since) {
    delayed.add(new Request(id, first, count, since, writes.lastQueued(first, first + count)));
  }

  /**
   * Answers the requests whose blocks the tree knows and for which every earlier write is batched.
   */
  void pump(long now) {
    int passed = 0;
    for (Iterator<Request> i = delayed.iterator(); i.hasNext() && passed < LOOK_AHEAD; ) {
      Request r = i.next();
      if (!r.waitsForWrite() && ready(r, now)) {
        i.remove();
        c.answers.read(new SessionEffect.ZeroMap(r.id, runs(r)));
      } else if (delayed.size() > LOOK_AHEAD && isUnreadable(r)) {
        i.remove(); // it would keep those behind it from being looked at
        c.out(new SessionEffect.Failed(r.id, SessionError.INTEGRITY));
      } else {
        passed++;
      }
    }
  }

  void onTick(long now) {
    while (!delayed.isEmpty() && now - delayed.peek().since >= c.config.requestTimeoutNanos()) {
      Request r = delayed.remove();
      c.out(
          new SessionEffect.Failed(
              r.id, isUnreadable(r) ? SessionError.INTEGRITY : SessionError.TIMED_OUT));
    }
  }

  /** The end of the block's stripe or of the range, whichever comes first. */
  private long stripeEnd(Request r, long block) {
    int stripe = c.spec.stripeBlocks();
    return Math.min(r.first + r.count, block + stripe - block % stripe);
  }

  private boolean isZero(long block) {
    return c.trees[c.spec.region(block)].isZero(c.spec.local(block));
  }

  private boolean ready(Request r, long now) {
    boolean ready = true;
    int asked = 0;
    for (long b = r.first; b < r.first + r.count && asked < MAX_PAGES; b = stripeEnd(r, b)) {
      if (!isZero(b)) {
        asked++;
        ready &= pages.ready(b, stripeEnd(r, b), now);
      }
    }
    return ready;
  }

  /** Whether no member has a page for which the request waits. */
  private boolean isUnreadable(Request r) {
    int asked = 0;
    for (long b = r.first; b < r.first + r.count && asked < MAX_PAGES; b = stripeEnd(r, b)) {
      if (!isZero(b)) {
        asked++;
        if (pages.isUnreadable(b, stripeEnd(r, b))) {
          return true;
        }
      }
    }
    return false;
  }

  private List<SessionEffect.Run> runs(Request r) {
    List<SessionEffect.Run> runs = new ArrayList<>();
    int looked = 0;
    for (long b = r.first; b < r.first + r.count && looked < MAX_PAGES; b = stripeEnd(r, b)) {
      long end = stripeEnd(r, b);
      if (isZero(b)) {
        add(runs, end - b, true);
      } else {
        looked++;
        SessionTree tree = c.trees[c.spec.region(b)];
        for (long x = b; x < end; x++) {
          add(runs, 1, Hashes.isZero(tree.leaf(c.spec.local(x))));
        }
      }
    }
    return runs;
  }

  private static void add(List<SessionEffect.Run> runs, long blocks, boolean zero) {
    int last = runs.size() - 1;
    if (last >= 0 && runs.get(last).zero() == zero) {
      runs.set(last, new SessionEffect.Run(runs.get(last).blocks() + blocks, zero));
    } else {
      runs.add(new SessionEffect.Run(blocks, zero));
    }
  }

  /** Forgets every request that is not answered, and returns their ids. */
  List<Long> drain() {
    List<Long> ids = delayed.stream().map(Request::id).toList();
    delayed.clear();
    return ids;
  }

  boolean isIdle() {
    return delayed.isEmpty();
  }
}
