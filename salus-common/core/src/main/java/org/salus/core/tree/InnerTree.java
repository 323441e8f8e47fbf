package org.salus.core.tree;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A region's tree above its leaves as of its checkpoints: 64 bytes for each page of 128 blocks that
 * is in one (paper §4.3). The leaf hashes themselves are in the checkpoints.
 */
public final class InnerTree {
  private final TreeShape shape;
  private final Hashes hashes;

  /** Pages of level 1 and up; level n is at n - 1. */
  private final TreeMap<Integer, TreeMap<Long, Page>> levels = new TreeMap<>();

  private final TreeSet<Long> changed = new TreeSet<>();

  /** The root of the one page of a region that has no level 1. */
  private byte[] only = Hashes.zero();

  public InnerTree(TreeShape shape, Hashes hashes) {
    this.shape = shape;
    this.hashes = hashes;
  }

  /** Sets the root of a page of leaves. */
  public void set(long page, byte[] root) {
    if (shape.top() == 0) {
      only = root;
    } else {
      page(1, TreeShape.parent(page)).set(TreeShape.slot(page), root);
      changed.add(TreeShape.parent(page));
    }
  }

  /**
   * A copy, hashed anew from the roots of the pages of leaves. Its root shows whether those are
   * unchanged.
   */
  public InnerTree copy(Hashes with) {
    InnerTree copy = new InnerTree(shape, with);
    copy.only = only;
    TreeMap<Long, Page> pages = new TreeMap<>();
    levels
        .getOrDefault(1, pages)
        .forEach((index, page) -> pages.put(index, Page.of(page.children(), with)));
    copy.levels.put(1, pages);
    copy.changed.addAll(pages.keySet());
    return copy;
  }

  private Page page(int level, long index) {
    return levels
        .computeIfAbsent(level, k -> new TreeMap<>())
        .computeIfAbsent(index, k -> new Page(shape.width(level)));
  }

  /** The root of a page of leaves. */
  public byte[] root(long page) {
    if (shape.top() == 0) {
      return only;
    }
    Page p = stored(1, TreeShape.parent(page));
    return p == null ? Hashes.zero() : p.child(TreeShape.slot(page));
  }

  private Page stored(int level, long index) {
    TreeMap<Long, Page> pages = levels.get(level);
    return pages == null ? null : pages.get(index);
  }

  /** The region's root with these pages' roots in place of the stored ones. */
  public byte[] root(NavigableMap<Long, byte[]> over) {
    if (shape.top() == 0) {
      return over.isEmpty() ? only : over.firstEntry().getValue();
    }
    return hashes.root(children(shape.top(), 0, over));
  }

  /**
   * The children of a page of level 1 or above, with these pages' roots in place of the stored
   * ones.
   */
  public byte[] children(int level, long index, NavigableMap<Long, byte[]> over) {
    refresh();
    Page there = stored(level, index);
    byte[] children =
        there == null ? new byte[shape.width(level) * Hashes.BYTES] : there.children();
    long span = 1L << 7 * (level - 1);
    long first = index * TreeShape.FANOUT;
    for (Long at = over.ceilingKey(first * span);
        at != null && at / span < first + shape.width(level); ) {
      long child = at / span;
      byte[] r = level == 1 ? over.get(at) : hashes.root(children(level - 1, child, over));
      System.arraycopy(r, 0, children, (int) (child - first) * Hashes.BYTES, Hashes.BYTES);
      at = over.ceilingKey((child + 1) * span);
    }
    return children;
  }

  private void refresh() {
    TreeSet<Long> below = new TreeSet<>(changed);
    changed.clear();
    for (int level = 2; level <= shape.top(); level++) {
      TreeSet<Long> here = new TreeSet<>();
      for (long child : below) {
        page(level, TreeShape.parent(child))
            .set(TreeShape.slot(child), stored(level - 1, child).root(hashes));
        here.add(TreeShape.parent(child));
      }
      below = here;
    }
  }
}
