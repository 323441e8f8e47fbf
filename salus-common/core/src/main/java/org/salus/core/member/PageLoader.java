package org.salus.core.member;

import java.util.List;
import java.util.TreeSet;
import org.salus.core.effect.MemberEffect;

/** Asks the host for leaf hashes that are in checkpoints, each page once at a time. */
final class PageLoader {
  private final RegionContext c;
  private final TreeSet<Long> underWay = new TreeSet<>();
  private int version;

  PageLoader(RegionContext c) {
    this.c = c;
  }

  /** Asks for what the index has missed. */
  void request() {
    if (version != c.index.version()) {
      version = c.index.version();
      underWay.clear();
    }
    List<Long> pages = c.index.takeWanted().stream().filter(underWay::add).toList();
    if (!pages.isEmpty()) {
      c.out.add(new MemberEffect.LoadPages(version, pages, c.log.checkpoints().newestFirst()));
    }
  }

  void onLoaded(int ofVersion, long page, byte[] leaves) {
    if (ofVersion == version) {
      underWay.remove(page);
    }
    c.index.offer(ofVersion, page, leaves);
  }

  /**
   * Checkpoints that were merged since may be deleted: what is still wanted of those pages is asked
   * for anew.
   */
  void onUnreadable(int ofVersion, String why) {
    if (ofVersion == c.index.version()) {
      c.out.add(new MemberEffect.Unable("no replica of its checkpoints can be read: " + why));
    }
  }

  /** Pages are asked for and have not come. */
  boolean isWaiting() {
    return !underWay.isEmpty();
  }
}
