package org.salus.core.member;

import java.util.List;
import java.util.TreeSet;
import org.salus.core.effect.MemberEffect;

/** Asks the host for leaf hashes in checkpoints. Each page is under way at most once. */
final class PageLoader {
  /**
   * The most pages under way: a session may ask for any page. What waits for others asks again when
   * these have come.
   */
  static final int MOST = 4096;

  private final RegionContext c;
  private final TreeSet<Long> underWay = new TreeSet<>();
  private int version;

  PageLoader(RegionContext c) {
    this.c = c;
  }

  /** Asks for the pages whose leaf hashes the index lacks. */
  void request() {
    if (version != c.index.version()) {
      version = c.index.version();
      underWay.clear();
    }
    List<Long> pages = c.index.takeWanted().stream().filter(this::begin).toList();
    if (!pages.isEmpty()) {
      c.out.add(new MemberEffect.LoadPages(version, pages, c.log.checkpoints().newestFirst()));
    }
  }

  private boolean begin(long page) {
    return underWay.size() < MOST && underWay.add(page);
  }

  void onLoaded(int ofVersion, long page, byte[] leaves) {
    if (ofVersion == version) {
      underWay.remove(page);
    }
    c.index.offer(ofVersion, page, leaves);
  }

  /**
   * Handles a page that no replica could give. If the checkpoints were merged since, their files
   * may be deleted, and the index asks again. Otherwise this member cannot go on.
   */
  void onUnreadable(int ofVersion, String why) {
    if (ofVersion == c.index.version()) {
      c.out.add(new MemberEffect.Unable("no replica of its checkpoints can be read: " + why));
    }
  }

  /** Whether pages were asked for and have not arrived. */
  boolean isWaiting() {
    return !underWay.isEmpty();
  }
}
