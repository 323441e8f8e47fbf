package org.salus.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.session.block.LastToTouch;
import org.salus.core.session.block.ReadTarget;

/**
 * Requests on their way to the session's parts, in the order of the calls. Changes wait here until
 * it is known whether there is room. With them wait the flushes behind them, and what reads or
 * looks at the same blocks. All others pass at once.
 */
final class HeldRequests {
  /**
   * @param since the time of the call
   * @param change the change or flush; null for a request that only looks
   * @param into where a read goes; null for a question where zeros are
   * @param toChange whether a read is only for a change of the block
   */
  private record Held(
      long id,
      long first,
      long count,
      long since,
      WriteRequest change,
      ReadTarget into,
      boolean toChange) {}

  private final SessionContext c;
  private final RoomInquiry room;
  private final WritePipeline writes;
  private final ReadPath reads;
  private final ZeroScan scans;
  private final Deque<Held> held = new ArrayDeque<>();
  private final LastToTouch<WriteRequest> changes = new LastToTouch<>();

  HeldRequests(
      SessionContext c, RoomInquiry room, WritePipeline writes, ReadPath reads, ZeroScan scans) {
    this.c = c;
    this.room = room;
    this.writes = writes;
    this.reads = reads;
    this.scans = scans;
  }

  void add(WriteRequest w) {
    held.add(new Held(w.id, w.firstBlock, w.count, w.since, w, null, false));
    changes.add(w, w.firstBlock, w.firstBlock + w.count);
  }

  void read(long id, long first, long count, ReadTarget into, long now) {
    look(new Held(id, first, count, now, null, into, false));
  }

  void readToChange(long id, long block, ReadTarget into, long now) {
    look(new Held(id, block, 1, now, null, into, true));
  }

  void zeroMap(long id, long first, long count, long now) {
    look(new Held(id, first, count, now, null, null, false));
  }

  private void look(Held h) {
    if (changes.last(h.first, h.first + h.count) != null) {
      held.add(h);
    } else {
      pass(h);
    }
  }

  /** Lets go what need not wait any more. */
  void pump(long now) {
    while (!held.isEmpty()) {
      Held h = held.peek();
      boolean needsRoom = h.change != null && !h.change.isFlush();
      RoomInquiry.Verdict v = needsRoom ? room.verdict(now) : RoomInquiry.Verdict.SEND;
      if (v == RoomInquiry.Verdict.WAIT) {
        return;
      }
      held.poll();
      changes.remove(h.change, h.first, h.first + h.count);
      if (v == RoomInquiry.Verdict.FAIL) {
        c.out(new SessionEffect.Failed(h.id, SessionError.NO_SPACE));
      } else {
        pass(h);
      }
    }
  }

  private void pass(Held h) {
    if (h.change != null) {
      writes.add(h.change);
    } else if (h.toChange) {
      reads.addToChange(h.id, h.first, h.into, h.since);
    } else if (h.into != null) {
      reads.add(h.id, h.first, h.count, h.into, h.since);
    } else {
      scans.add(h.id, h.first, h.count, h.since);
    }
  }

  /** The time at which the first request began to wait, or {@code now} if none waits. */
  long oldest(long now) {
    return held.isEmpty() ? now : held.peek().since;
  }

  /** Forgets every request, and returns their ids. */
  List<Long> drain() {
    List<Long> ids = new ArrayList<>();
    held.forEach(h -> ids.add(h.id));
    held.clear();
    changes.clear();
    return ids;
  }

  boolean isIdle() {
    return held.isEmpty();
  }
}
