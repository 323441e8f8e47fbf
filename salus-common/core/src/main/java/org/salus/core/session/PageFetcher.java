package org.salus.core.session;

import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.message.Message.PageReply;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.tree.SessionTree.PageId;

/**
 * Fetches pages of the volume tree from members (paper §4.3). It asks one after the other until one
 * sends what the tree confirms. If none does, it asks again after a pause.
 */
final class PageFetcher {

  private record Key(int region, PageId page) implements Comparable<Key> {
    @Override
    public int compareTo(Key o) {
      return region != o.region ? Integer.compare(region, o.region) : page.compareTo(o.page);
    }
  }

  private static final class Fetch {
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
  private final Map<Key, Long> inFlight = new TreeMap<>();
  private final TreeMap<Long, Fetch> byId = new TreeMap<>();

  PageFetcher(SessionContext c) {
    this.c = c;
  }

  /** Whether the tree knows every block of the range. It asks for the pages that are missing. */
  boolean ready(long from, long to, long now) {
    boolean ready = true;
    int stripe = c.spec.stripeBlocks();
    for (long b = from; b < to; b += stripe - b % stripe) {
      int region = c.spec.region(b);
      long last = Math.min(to, b + stripe - b % stripe) - 1;
      for (PageId p : c.trees[region].missing(c.spec.local(b), c.spec.local(last))) {
        ready = false;
        request(new Key(region, p), now);
      }
    }
    return ready;
  }

  private void request(Key key, long now) {
    if (!inFlight.containsKey(key)) {
      Fetch f = new Fetch(key, (int) ((key.page.index() + key.region) % Lanes.COUNT));
      send(f, now);
    }
  }

  private void send(Fetch f, long now) {
    long id = c.nextId();
    f.sentAt = now;
    inFlight.put(f.key, id);
    byId.put(id, f);
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
        Long id = inFlight.get(new Key(region, p));
        if (id != null && byId.get(id).evidence.isComplete()) {
          return true;
        }
      }
    }
    return false;
  }

  /** Takes a page. Returns whether it is one that was waited for. */
  boolean onReply(Endpoint.Member from, PageReply m, long now) {
    Fetch f = byId.get(m.id());
    if (f == null || !c.speaksFor(from, f.key.region, f.lane)) {
      return false;
    }
    byId.remove(m.id());
    if (c.trees[f.key.region].offer(f.key.page, m.children())) {
      inFlight.remove(f.key);
      f.evidence.forgive(f.lane);
      f.evidence.report(c, f.key.region, true);
      return true;
    }
    if (f.evidence.isNew(f.lane)) {
      f.evidence.add(
          f.lane,
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
      pause(f, now);
    } else {
      next(f, now);
    }
    return false;
  }

  /** Pauses a fetch for which every member was asked in vain. */
  private void pause(Fetch f, long now) {
    f.sentAt = now;
    long id = c.nextId();
    inFlight.put(f.key, id);
    byId.put(id, f);
  }

  private void next(Fetch f, long now) {
    f.lane = (f.lane + 1) % Lanes.COUNT;
    send(f, now);
  }

  /** The region's RRS was replaced: asks the new members at once. */
  void replaced(int region, long now) {
    for (Map.Entry<Long, Fetch> e : new TreeMap<>(byId).entrySet()) {
      if (e.getValue().key.region == region) {
        byId.remove(e.getKey());
        e.getValue().evidence.clear();
        next(e.getValue(), now);
      }
    }
  }

  void onTick(long now) {
    for (Map.Entry<Long, Fetch> e : new TreeMap<>(byId).entrySet()) {
      if (now - e.getValue().sentAt >= c.config.resendAfterNanos()) {
        byId.remove(e.getKey());
        next(e.getValue(), now);
      }
    }
  }
}
