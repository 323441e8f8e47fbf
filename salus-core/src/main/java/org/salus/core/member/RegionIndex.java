package org.salus.core.member;

import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Put;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.Page;
import org.salus.core.tree.TreeShape;

/**
 * Where each settled block of the region is in the log, and the region's tree (paper §4.3). Data stays in the segments;
 * here is 40 bytes a block that was ever written. Pages of leaves are hashed only when somebody asks for a root.
 */
final class RegionIndex {
  /** A block that reads as zeros. */
  static final long ZERO = -1;

  private static final int OFFSET_BITS = 32;

  private static final class LeafPage {
    final long[] location = new long[TreeShape.FANOUT];
    final byte[] hashes;

    LeafPage(int width) {
      hashes = new byte[width * Hashes.BYTES];
      Arrays.fill(location, ZERO);
    }
  }

  private final VolumeSpec spec;
  private final TreeShape shape;
  private final Hashes hashes = new Hashes();
  private final TreeMap<Long, LeafPage> leaves = new TreeMap<>();
  /** Pages of level 1 and up; level n is at n - 1. */
  private final TreeMap<Integer, TreeMap<Long, Page>> inner = new TreeMap<>();
  private final TreeSet<Long> changed = new TreeSet<>();

  RegionIndex(VolumeSpec spec) {
    this.spec = spec;
    this.shape = new TreeShape(spec.regionBlocks());
  }

  /** A sub-batch is settled. */
  void apply(Pending p) {
    long offset = p.payloadOffset();
    for (Put put : p.batch().puts()) {
      if (put.zero()) {
        clear(put.local(), put.local() + put.count());
      } else {
        set(put.local(), p.at().segment() << OFFSET_BITS | offset, put.leafHash());
        offset += spec.blockSize();
      }
    }
  }

  private void set(long local, long location, byte[] hash) {
    long p = TreeShape.page(0, local);
    LeafPage page = leaves.computeIfAbsent(p, k -> new LeafPage(shape.width(0)));
    int slot = TreeShape.slot(local);
    page.location[slot] = location;
    System.arraycopy(hash, 0, page.hashes, slot * Hashes.BYTES, Hashes.BYTES);
    changed.add(p);
  }

  private void clear(long from, long to) {
    NavigableMap<Long, LeafPage> there = leaves.subMap(TreeShape.page(0, from), true, TreeShape.page(0, to - 1), true);
    there.forEach((p, page) -> {
      int first = (int) Math.max(0, from - p * TreeShape.FANOUT);
      int last = (int) Math.min(TreeShape.FANOUT, to - p * TreeShape.FANOUT);
      Arrays.fill(page.location, first, last, ZERO);
      Arrays.fill(page.hashes, first * Hashes.BYTES, Math.min(page.hashes.length, last * Hashes.BYTES), (byte) 0);
      changed.add(p);
    });
  }

  /** The segment and offset of a settled block, see {@link #segment} and {@link #offset}, or {@link #ZERO}. */
  long locate(long local) {
    LeafPage page = leaves.get(TreeShape.page(0, local));
    return page == null ? ZERO : page.location[TreeShape.slot(local)];
  }

  static long segment(long location) {
    return location >>> OFFSET_BITS;
  }

  static long offset(long location) {
    return location & (1L << OFFSET_BITS) - 1;
  }

  static long location(long segment, long offset) {
    return segment << OFFSET_BITS | offset;
  }

  /** The region's root as of what is settled. */
  byte[] root() {
    refresh();
    return stored(shape.top(), 0);
  }

  /** The children of a page as of what is settled and, on top, these sub-batches. */
  byte[] children(int level, long index, Iterable<Pending> visible) {
    refresh();
    TreeMap<Long, byte[]> overlay = overlay(visible);
    return level == 0 ? overlay.getOrDefault(index, leafHashes(index)) : childrenWith(level, index, roots(overlay));
  }

  private byte[] leafHashes(long page) {
    LeafPage p = leaves.get(page);
    return p == null ? new byte[shape.width(0) * Hashes.BYTES] : p.hashes.clone();
  }

  private TreeMap<Long, byte[]> overlay(Iterable<Pending> visible) {
    TreeMap<Long, byte[]> pages = new TreeMap<>();
    for (Pending p : visible) {
      for (Put put : p.batch().puts()) {
        for (long local = put.local(); local < put.local() + put.count(); local++) {
          byte[] page = pages.computeIfAbsent(TreeShape.page(0, local), this::leafHashes);
          byte[] hash = put.zero() ? Hashes.zero() : put.leafHash();
          System.arraycopy(hash, 0, page, TreeShape.slot(local) * Hashes.BYTES, Hashes.BYTES);
        }
      }
    }
    return pages;
  }

  private TreeMap<Long, byte[]> roots(TreeMap<Long, byte[]> overlay) {
    TreeMap<Long, byte[]> roots = new TreeMap<>();
    overlay.forEach((p, children) -> roots.put(p, hashes.root(children)));
    return roots;
  }

  private byte[] childrenWith(int level, long index, TreeMap<Long, byte[]> leafRoots) {
    Page stored = inner.getOrDefault(level, new TreeMap<>()).get(index);
    byte[] children = stored == null ? new byte[shape.width(level) * Hashes.BYTES] : stored.children();
    long span = 1L << 7 * (level - 1);
    long first = index * TreeShape.FANOUT;
    for (int slot = 0; slot < shape.width(level); slot++) {
      long child = first + slot;
      NavigableMap<Long, byte[]> below = leafRoots.subMap(child * span, true, (child + 1) * span - 1, true);
      if (!below.isEmpty()) {
        byte[] r = level == 1 ? below.firstEntry().getValue() : hashes.root(childrenWith(level - 1, child, leafRoots));
        System.arraycopy(r, 0, children, slot * Hashes.BYTES, Hashes.BYTES);
      }
    }
    return children;
  }

  private byte[] stored(int level, long index) {
    if (level == 0) {
      return hashes.root(leafHashes(index));
    }
    Page p = inner.getOrDefault(level, new TreeMap<>()).get(index);
    return p == null ? Hashes.zero() : p.root(hashes);
  }

  private void refresh() {
    TreeSet<Long> below = new TreeSet<>(changed);
    changed.clear();
    for (int level = 1; level <= shape.top(); level++) {
      TreeSet<Long> here = new TreeSet<>();
      int width = shape.width(level);
      TreeMap<Long, Page> pages = inner.computeIfAbsent(level, k -> new TreeMap<>());
      for (long child : below) {
        long index = TreeShape.parent(child);
        pages.computeIfAbsent(index, k -> new Page(width)).set(TreeShape.slot(child), stored(level - 1, child));
        here.add(index);
      }
      below = here;
    }
  }
}
