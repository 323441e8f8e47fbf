package org.salus.core.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.message.Message.PageReply;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.session.question.Questions;
import org.salus.core.tree.SessionTree.PageId;

/**
 * Fetches pages of the volume tree from members (paper §4.3). It asks one after the other until one
 * sends what the tree confirms. If none does, it asks again after a pause.
 */
final class PageFetcher {

  /** A page of a region's tree. */
  record Key(int region, PageId page) implements Comparable<Key> {
    @Override
    public int compareTo(Key o) {
      return region != o.region ? Integer.compare(region, o.region) : page.compareTo(o.page);
    }
  }

  private static final class Fetch extends Questions.About {
    final Key key;
    final Evidence evidence = new Evidence();
    int lane;
    long sentAt;

    Fetch(Key key, int lane) {
      this.key = key;
      this.lane = lane;
    }
  }

  private final SessionContext c;
  private final Map<Key, Fetch> inFlight = new TreeMap<>();
  private final Questions<Fetch> questions = new Questions<>();

  /** Pages that have come since {@link #takeArrived}. */
  private List<Key> arrived = new ArrayList<>();

  PageFetcher(SessionContext c) {
    this.c = c;
  }

  /** Whether the tree knows every block of the range. It asks for the pages that are missing. */
  boolean ready(long from, long to, long now) {
    return fetch(from, to, now) == null;
  }

  /** Asks for the pages that the range needs. Returns the first that is missing, or null. */
  Key fetch(long from, long to, long now) {
    Key first = null;
    int stripe = c.spec.stripeBlocks();
    for (long b = from; b < to; b += stripe - b % stripe) {
      int region = c.spec.region(b);
      long last = Math.min(to, b + stripe - b % stripe) - 1;
      for (PageId p : c.trees[region].missing(c.spec.local(b), c.spec.local(last))) {
        Key missing = new Key(region, p);
        first = first == null ? missing : first;
        request(missing, now);
      }
    }
    return first;
  }

  private void request(Key key, long now) {
    if (!inFlight.containsKey(key)) {
      Fetch f = new Fetch(key, (int) ((key.page.index() + key.region) % Lanes.COUNT));
      inFlight.put(key, f);
      send(f, now);
    }
  }

  private void send(Fetch f, long now) {
    long id = c.nextId();
    f.sentAt = now;
    questions.ask(f, f.lane, id);
    int r = f.key.region;
    c.send(
        r,
        f.lane,
        new PageRequest(
            id,
            c.epochs[r],
            c.mountEpoch,
            c.sent[r],
            c.acked,
            f.key.page.level(),
            f.key.page.index()),
        null);
  }

  /** Whether no member has a page that the range needs. */
  boolean isUnreadable(long from, long to) {
    int stripe = c.spec.stripeBlocks();
    for (long b = from; b < to; b += stripe - b % stripe) {
      int region = c.spec.region(b);
      long last = Math.min(to, b + stripe - b % stripe) - 1;
      for (PageId p : c.trees[region].missing(c.spec.local(b), c.spec.local(last))) {
        Fetch f = inFlight.get(new Key(region, p));
        if (f != null && f.evidence.isComplete()) {
          return true;
        }
      }
    }
    return false;
  }

  /** The pages that have come since the last call. */
  List<Key> takeArrived() {
    List<Key> taken = arrived;
    arrived = new ArrayList<>();
    return taken;
  }

  /** Takes a page, also a late one. */
  void onReply(Endpoint.Member from, PageReply m, long now) {
    Long id = c.rules.question(questions.open(), m.id());
    Fetch f = id == null ? null : questions.about(id);
    int lane = f == null ? 0 : questions.lane(f, id);
    if (f == null || !c.speaksFor(from, f.key.region, lane)) {
      return;
    }
    questions.answered(f, lane);
    if (c.trees[f.key.region].offer(f.key.page, m.children())) {
      inFlight.remove(f.key);
      questions.forget(f);
      f.evidence.forgive(lane);
      f.evidence.report(c, f.key.region, true);
      arrived.add(f.key);
      return;
    }
    if (f.evidence.isNew(lane)) {
      f.evidence.add(
          lane,
          true,
          "sent a tree page (level "
              + f.key.page.level()
              + ", index "
              + f.key.page.index()
              + ") that its root does not confirm");
      if (f.evidence.isComplete()) {
        f.evidence.report(c, f.key.region, false);
      }
    }
    if (f.evidence.isComplete()) {
      f.sentAt = now; // every member was asked in vain: the next one is asked after a pause
    } else if (lane == f.lane) {
      next(f, now);
    }
  }

  private void next(Fetch f, long now) {
    f.lane = (f.lane + 1) % Lanes.COUNT;
    send(f, now);
  }

  /** The region's RRS was replaced: asks the new members at once. */
  void replaced(int region, long now) {
    for (Fetch f : inFlight.values()) {
      if (f.key.region == region) {
        questions.forget(f);
        f.evidence.clear();
        next(f, now);
      }
    }
  }

  void onTick(long now) {
    for (Fetch f : inFlight.values()) {
      if (now - f.sentAt >= c.config.resendAfterNanos()) {
        next(f, now);
      }
    }
  }
}
