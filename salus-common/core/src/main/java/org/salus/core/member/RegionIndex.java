package org.salus.core.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.Generation;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Put;
import org.salus.core.path.FilePath;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.InnerTree;
import org.salus.core.tree.TreeShape;

/**
 * The index of a region's settled blocks, and the region's tree (paper §4.3). It has a generation
 * for each segment that is not flushed, and below them the tree of the checkpoints. Leaf hashes in
 * checkpoints are loaded when they are needed. A method that returns null lacks some, and {@link
 * #takeWanted} says which. Not thread-safe.
 */
public final class RegionIndex {
  /** The location of a block that reads as zeros. */
  static final long ZERO = -1;

  /** The location of a block that is in a checkpoint, if anywhere. */
  static final long CHECKPOINT = -2;

  private static final int OFFSET_BITS = 32;
  private static final int LOADED_PAGES = 1024;

  /** The most pages that are asked for at once. Whoever lacks others asks again. */
  static final int MOST_WANTED = 256;

  /** The most pages that {@link #rootSoon} hashes in one call. */
  private static final int PAGES_AT_A_TIME = 64;

  private static final int FEW_PAGES = 8192;

  private final int blockSize;
  private final TreeShape shape;
  private final Hashes hashes = new Hashes();
  private InnerTree base;
  private final TreeMap<Long, Generation> generations = new TreeMap<>();

  /** The lowest pages that generations touch, by segment. */
  private final TreeMap<Long, TreeSet<Long>> touched = new TreeMap<>();

  /** The roots of touched pages, as of what is settled. */
  private final TreeMap<Long, byte[]> fresh = new TreeMap<>();

  /** Touched pages whose root is not known. */
  private final TreeSet<Long> stale = new TreeSet<>();

  /** The leaf hashes of the pages used last, as of the checkpoints. */
  private final Map<Long, byte[]> loaded = new LinkedHashMap<>(16, 0.75f, true);

  private final TreeSet<Long> wanted = new TreeSet<>();
  private int version;

  public RegionIndex(VolumeSpec spec) {
    this.blockSize = spec.blockSize();
    this.shape = new TreeShape(spec.regionBlocks());
    this.base = new InnerTree(shape, hashes);
  }

  // ---- what is settled ----

  public void apply(Pending p) {
    long segment = p.at().segment();
    Generation g = generations.computeIfAbsent(segment, k -> new Generation());
    TreeSet<Long> pages = touched.computeIfAbsent(segment, k -> new TreeSet<>());
    long offset = p.payloadOffset();
    long page = -1;
    for (Put put : p.batch().puts()) {
      for (long local = put.local(); local < put.local() + put.count(); local++) {
        g.put(
            local,
            put.zero() ? Generation.ZERO : offset,
            put.zero() ? Hashes.zero() : put.leafHash());
        if (TreeShape.page(0, local) != page) {
          page = TreeShape.page(0, local);
          touch(pages, page);
        }
      }
      offset += put.zero() ? 0 : blockSize;
    }
  }

  private void touch(TreeSet<Long> pages, long page) {
    pages.add(page);
    stale.add(page);
    fresh.remove(page);
  }

  Generation.Snapshot snapshot(long segment) {
    return generations.getOrDefault(segment, new Generation()).snapshot();
  }

  /** The number of blocks in a segment's generation. */
  int size(long segment) {
    Generation g = generations.get(segment);
    return g == null ? 0 : g.size();
  }

  // ---- checkpoints ----

  /** Sets pages' roots as of a new checkpoint, whose generation is still here and says the same. */
  void setRoots(CheckpointBuilder.Roots roots) {
    for (int i = 0; i < roots.pages().length; i++) {
      base.set(roots.pages()[i], roots.hash(i));
    }
  }

  void setRoot(long page, byte[] root) {
    base.set(page, root);
  }

  /** The tree of the checkpoints. */
  InnerTree checkpoints() {
    return base;
  }

  /**
   * Takes over the tree that the index of the epoch before had, if it has this root. Returns false
   * if it does not, or if {@code known} is null.
   */
  boolean takeOver(InnerTree known, byte[] root) {
    if (known == null) {
      return false;
    }
    InnerTree copy = known.copy(hashes);
    boolean same = Arrays.equals(copy.root(new TreeMap<>()), root);
    base = same ? copy : base;
    return same;
  }

  /** The region's root as of the checkpoints alone. */
  byte[] checkpointRoot() {
    return base.root(new TreeMap<>());
  }

  /** Notes a new list of checkpoints, in which the segments up to this one are contained. */
  void flushed(long upTo) {
    version++;
    loaded.clear();
    wanted.clear();
    NavigableMap<Long, TreeSet<Long>> gone = touched.headMap(upTo, true);
    TreeSet<Long> pages = new TreeSet<>();
    gone.values().forEach(pages::addAll);
    gone.clear();
    generations.headMap(upTo, true).clear();
    for (long page : pages) {
      if (touched.values().stream().noneMatch(t -> t.contains(page))) {
        fresh.remove(page);
        stale.remove(page);
      }
    }
  }

  // ---- where blocks are ----

  /**
   * The location of a settled block: its segment and offset (see {@link #segment} and {@link
   * #offset}), {@link #ZERO} or {@link #CHECKPOINT}.
   */
  long locate(long local) {
    for (Map.Entry<Long, Generation> e : generations.descendingMap().entrySet()) {
      int i = e.getValue().index(local);
      if (i >= 0) {
        long offset = e.getValue().offset(i);
        return offset == Generation.ZERO ? ZERO : location(e.getKey(), offset);
      }
    }
    return Hashes.isZero(base.root(TreeShape.page(0, local))) ? ZERO : CHECKPOINT;
  }

  static long segment(long location) {
    return location >>> OFFSET_BITS;
  }

  static long offset(long location) {
    return location & (1L << OFFSET_BITS) - 1;
  }

  /**
   * @param segment 0 to {@link FilePath#MOST}
   * @param offset in bytes, less than 2^32
   * @throws IllegalArgumentException when one is out of range, because another block would be read
   */
  static long location(long segment, long offset) {
    if (segment < 0 || segment > FilePath.MOST || offset < 0 || offset >>> OFFSET_BITS != 0) {
      throw new IllegalArgumentException(
          "no block has its place at byte " + offset + " of segment " + segment);
    }
    return segment << OFFSET_BITS | offset;
  }

  // ---- the tree ----

  /** The region's root as of what is settled, or null while leaf hashes are missing. */
  public byte[] root() {
    return refresh() ? base.root(fresh) : null;
  }

  /**
   * Like {@link #root}, but does little work: returns null if more is needed. A later call may then
   * succeed.
   */
  byte[] rootSoon() {
    return refresh(PAGES_AT_A_TIME) && fresh.size() <= FEW_PAGES ? base.root(fresh) : null;
  }

  /** The children of a page as of what is settled and, on top, these sub-batches; or null. */
  byte[] children(int level, long index, List<Pending> visible) {
    if (level == 0) {
      return leaves(index, visible);
    }
    long span = 1L << 7 * level;
    TreeSet<Long> pending = pages(visible, index * span, (index + 1) * span);
    TreeMap<Long, byte[]> over = new TreeMap<>();
    boolean complete = refresh();
    for (long page : pending) {
      byte[] leaves = leaves(page, visible);
      complete &= leaves != null;
      over.put(page, leaves == null ? Hashes.zero() : hashes.root(leaves));
    }
    if (!complete) {
      return null;
    }
    if (over.isEmpty()) {
      return base.children(level, index, fresh);
    }
    fresh.subMap(index * span, (index + 1) * span).forEach(over::putIfAbsent);
    return base.children(level, index, over);
  }

  private static TreeSet<Long> pages(List<Pending> visible, long from, long to) {
    TreeSet<Long> pages = new TreeSet<>();
    for (Pending p : visible) {
      for (Put put : p.batch().puts()) {
        for (long page = TreeShape.page(0, put.local());
            page <= TreeShape.page(0, put.local() + put.count() - 1);
            page++) {
          if (page >= from && page < to) {
            pages.add(page);
          }
        }
      }
    }
    return pages;
  }

  /** Whether the root of every touched page is known now. */
  private boolean refresh() {
    return refresh(Integer.MAX_VALUE);
  }

  /**
   * Looks at {@code most} pages at most. Returns whether the root of every touched page is known.
   */
  private boolean refresh(int most) {
    int left = most;
    for (Iterator<Long> i = stale.iterator();
        i.hasNext() && wanted.size() < MOST_WANTED && left-- > 0; ) {
      long page = i.next();
      byte[] leaves = leaves(page, List.of());
      if (leaves != null) {
        fresh.put(page, hashes.root(leaves));
        i.remove();
      }
    }
    return stale.isEmpty();
  }

  /** The leaf hashes of a page, with visible sub-batches on top; null if some must be loaded. */
  private byte[] leaves(long page, List<Pending> visible) {
    int width = shape.width(0);
    byte[] leaves = new byte[width * Hashes.BYTES];
    boolean[] known = new boolean[width];
    int found = overlay(page, visible, leaves, known);
    for (Generation g : generations.descendingMap().values()) {
      for (int slot = 0; slot < width && found < width; slot++) {
        int i = known[slot] ? -1 : g.index(page * TreeShape.FANOUT + slot);
        if (i >= 0) {
          g.copyHash(i, leaves, slot * Hashes.BYTES);
          known[slot] = true;
          found++;
        }
      }
    }
    if (found == width || Hashes.isZero(base.root(page))) {
      return leaves;
    }
    byte[] older = loaded.get(page);
    if (older == null) {
      if (wanted.size() < MOST_WANTED) {
        wanted.add(page);
      }
      return null;
    }
    for (int slot = 0; slot < width; slot++) {
      if (!known[slot]) {
        System.arraycopy(older, slot * Hashes.BYTES, leaves, slot * Hashes.BYTES, Hashes.BYTES);
      }
    }
    return leaves;
  }

  private int overlay(long page, List<Pending> visible, byte[] leaves, boolean[] known) {
    int found = 0;
    for (int i = visible.size() - 1; i >= 0; i--) {
      List<Put> puts = visible.get(i).batch().puts();
      for (int j = puts.size() - 1; j >= 0; j--) {
        Put put = puts.get(j);
        long from = Math.max(put.local(), page * TreeShape.FANOUT);
        long to = Math.min(put.local() + put.count(), page * TreeShape.FANOUT + known.length);
        for (long local = from; local < to; local++) {
          int slot = TreeShape.slot(local);
          if (!known[slot]) {
            known[slot] = true;
            found++;
            System.arraycopy(
                put.zero() ? Hashes.zero() : put.leafHash(),
                0,
                leaves,
                slot * Hashes.BYTES,
                Hashes.BYTES);
          }
        }
      }
    }
    return found;
  }

  // ---- leaf hashes that come from checkpoints ----

  /** The version of the list of checkpoints, which a load must name. */
  int version() {
    return version;
  }

  /** The pages whose leaf hashes were lacking since the last call. */
  List<Long> takeWanted() {
    List<Long> pages = new ArrayList<>(wanted);
    wanted.clear();
    return pages;
  }

  /**
   * Takes the leaf hashes of a page, as of the checkpoints of that version. An unknown root of the
   * page is computed at once.
   */
  void offer(int ofVersion, long page, byte[] leaves) {
    if (ofVersion != version) {
      return;
    }
    loaded.put(page, leaves);
    if (stale.remove(page)) {
      fresh.put(page, hashes.root(leaves(page, List.of())));
    }
    Iterator<Long> oldest = loaded.keySet().iterator();
    while (loaded.size() > LOADED_PAGES) {
      oldest.next();
      oldest.remove();
    }
  }
}
