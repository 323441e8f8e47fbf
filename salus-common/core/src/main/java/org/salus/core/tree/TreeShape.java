package org.salus.core.tree;

/**
 * The division of a tree over a power-of-two number of leaves into pages. A page of level 0 has
 * leaves as children; a page of level n+1 has the roots of pages of level n. The top page may have
 * fewer than 128 children. (A level here is a page's height.)
 */
public record TreeShape(long leaves) {
  /** The number of children of a page below the top. */
  public static final int FANOUT = 128;

  private static final int SHIFT = 7;

  public TreeShape {
    if (leaves < 1 || Long.bitCount(leaves) != 1) {
      throw new IllegalArgumentException(leaves + " leaves: use a power of two");
    }
  }

  /** Level of the top page. */
  public int top() {
    int level = 0;
    for (long pages = leaves; pages > FANOUT; pages >>= SHIFT) {
      level++;
    }
    return level;
  }

  /** Whether there is such a page. */
  public boolean has(int level, long index) {
    return level >= 0
        && level <= top()
        && index >= 0
        && index < Math.max(1, leaves >> SHIFT * (level + 1));
  }

  /** Children of each page of a level. */
  public int width(int level) {
    return (int) Math.min(FANOUT, leaves >> SHIFT * level);
  }

  /** Index of the page of a level above a leaf. */
  public static long page(int level, long leaf) {
    return leaf >> SHIFT * (level + 1);
  }

  /** The index, 0 to 127, of a page (or leaf) among its parent's children. */
  public static int slot(long index) {
    return (int) (index & FANOUT - 1);
  }

  /** The parent page of a page, one level up. */
  public static long parent(long index) {
    return index >> SHIFT;
  }
}
