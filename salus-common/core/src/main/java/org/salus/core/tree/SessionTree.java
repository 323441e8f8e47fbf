package org.salus.core.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The session's tree of one region (paper §4.3). It keeps a given number of pages in memory. Others
 * are fetched from a member and checked against the root that their parent names. It performs no
 * fetch itself: {@link #missing} says what to fetch, and {@link #offer} takes it. Not thread-safe.
 */
public final class SessionTree {

  /** A page's place; ordered bottom-up. */
  public record PageId(int level, long index) implements Comparable<PageId> {
    @Override
    public int compareTo(PageId o) {
      return level != o.level ? Integer.compare(level, o.level) : Long.compare(index, o.index);
    }

    PageId parent() {
      return new PageId(level + 1, TreeShape.parent(index));
    }
  }

  private static final class Cached {
    final Page page;
    final Cached parent;
    int cachedChildren;
    int pins;

    Cached(Page page, Cached parent) {
      this.page = page;
      this.parent = parent;
    }
  }

  private final TreeShape shape;
  private final Hashes hashes;
  private final int budget;
  private final Map<PageId, Cached> pages = new LinkedHashMap<>(16, 0.75f, true);
  private final TreeSet<PageId> changed = new TreeSet<>();
  private byte[] root;

  /**
   * @param root the region's root, agreed at the mount
   * @param budget the number of pages to keep; more are kept while they are pinned or have cached
   *     children
   */
  public SessionTree(TreeShape shape, byte[] root, int budget, Hashes hashes) {
    this.shape = shape;
    this.root = root.clone();
    this.budget = budget;
    this.hashes = hashes;
  }

  /**
   * The pages to fetch next until every leaf from {@code first} to {@code last} is known; empty if
   * all are.
   */
  public List<PageId> missing(long first, long last) {
    if (pages.size() > budget) {
      propagate();
      evict();
    }
    List<PageId> need = new ArrayList<>();
    for (long p = TreeShape.page(0, first); p <= TreeShape.page(0, last); p++) {
      PageId id = firstMissing(p * TreeShape.FANOUT);
      if (id != null && !need.contains(id)) {
        need.add(id);
      }
    }
    return need;
  }

  private PageId firstMissing(long leaf) {
    for (int level = shape.top(); level >= 0; level--) {
      PageId id = new PageId(level, TreeShape.page(level, leaf));
      if (pages.get(id) == null) {
        if (!Hashes.isZero(expected(id))) {
          return id;
        }
        insert(id, new Page(shape.width(level)));
      }
    }
    return null;
  }

  private byte[] expected(PageId id) {
    return id.level() == shape.top()
        ? root
        : pages.get(id.parent()).page.child(TreeShape.slot(id.index()));
  }

  private void insert(PageId id, Page page) {
    Cached parent = id.level() == shape.top() ? null : pages.get(id.parent());
    pages.put(id, new Cached(page, parent));
    if (parent != null) {
      parent.cachedChildren++;
    }
  }

  /**
   * Takes a fetched page. Returns false if the tree does not confirm it, so that another member
   * must be asked.
   */
  public boolean offer(PageId id, byte[] children) {
    if (pages.containsKey(id)) {
      return true;
    }
    if (id.level() < shape.top() && !pages.containsKey(id.parent())) {
      return true; // the parent was evicted meanwhile: nobody needs this page now
    }
    propagate();
    if (children.length != shape.width(id.level()) * Hashes.BYTES
        || !Arrays.equals(hashes.root(children), expected(id))) {
      return false;
    }
    insert(id, Page.of(children, hashes));
    return true;
  }

  /** Whether the pages in memory show that a leaf's page is all zeros. */
  public boolean isZero(long leaf) {
    propagate();
    byte[] hash = root;
    for (int level = shape.top(); !Hashes.isZero(hash); level--) {
      Cached c = level < 0 ? null : pages.get(new PageId(level, TreeShape.page(level, leaf)));
      if (c == null || level == 0) {
        return false;
      }
      hash = c.page.child(TreeShape.slot(TreeShape.page(level - 1, leaf)));
    }
    return true;
  }

  /** The hash of a leaf whose page is present. */
  public byte[] leaf(long leaf) {
    return cached(leaf).page.child(TreeShape.slot(leaf));
  }

  /** Changes a leaf whose page is present. */
  public void update(long leaf, byte[] hash) {
    cached(leaf).page.set(TreeShape.slot(leaf), hash);
    changed.add(new PageId(0, TreeShape.page(0, leaf)));
  }

  private Cached cached(long leaf) {
    Cached c = pages.get(new PageId(0, TreeShape.page(0, leaf)));
    if (c == null) {
      throw new IllegalStateException("page of leaf " + leaf + " is not here");
    }
    return c;
  }

  /** Keeps the pages of these leaves, which are present, until {@link #unpin}. */
  public void pin(long first, long last) {
    forPages(first, last, 1);
  }

  public void unpin(long first, long last) {
    forPages(first, last, -1);
  }

  private void forPages(long first, long last, int by) {
    for (long p = TreeShape.page(0, first); p <= TreeShape.page(0, last); p++) {
      cached(p * TreeShape.FANOUT).pins += by;
    }
  }

  /** The root after every update so far. */
  public byte[] root() {
    propagate();
    evict();
    return root.clone();
  }

  private void propagate() {
    while (!changed.isEmpty()) {
      PageId id = changed.pollFirst();
      byte[] r = pages.get(id).page.root(hashes);
      if (id.level() == shape.top()) {
        root = r;
      } else {
        pages.get(id.parent()).page.set(TreeShape.slot(id.index()), r);
        changed.add(id.parent());
      }
    }
  }

  private void evict() {
    boolean again = true;
    while (pages.size() > budget && again) {
      again = false;
      for (Iterator<Map.Entry<PageId, Cached>> i = pages.entrySet().iterator();
          i.hasNext() && pages.size() > budget; ) {
        Cached c = i.next().getValue();
        if (c.pins == 0 && c.cachedChildren == 0) {
          i.remove();
          again = true;
          if (c.parent != null) {
            c.parent.cachedChildren--;
          }
        }
      }
    }
  }

  /** Pages in memory. */
  public int size() {
    return pages.size();
  }
}
