package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;

/**
 * Checks the content of one checkpoint:
 *
 * <ul>
 *   <li>each block's data against its leaf hash;
 *   <li>the leaf hashes of every whole page against the page's root;
 *   <li>the oldest checkpoint's pages against the certified region root.
 * </ul>
 *
 * <p>A page of a newer checkpoint may be partial: older ones, which this class does not see, have
 * the rest. Blocks in a log segment are checked with that segment. Not thread-safe.
 */
public final class CheckpointCheck implements CheckpointSink {
  private final Hashes hashes = new Hashes();
  private final TreeShape shape;
  private final int width;
  private final boolean oldest;
  private final TreeMap<Long, byte[]> pages = new TreeMap<>();
  private PageEntry page;

  /** The slot in the page from which the next block with data is sought. */
  private int slot;

  /**
   * @param leaves the number of leaves of the region's tree
   * @param oldest whether there is no older checkpoint
   */
  public CheckpointCheck(long leaves, boolean oldest) {
    this.shape = new TreeShape(leaves);
    this.width = shape.width(0);
    this.oldest = oldest;
  }

  @Override
  public void addPage(PageEntry entry) throws UnreadableException {
    require(
        pages.isEmpty() || pages.lastKey() < entry.page(),
        "page " + entry.page() + " is not in its place");
    requireAllBlocks();
    boolean whole = oldest || IntStream.range(0, width).allMatch(entry::has);
    require(
        !whole || Arrays.equals(hashes.root(entry.children(width)), entry.root()),
        "the leaf hashes of page " + entry.page() + " do not have its root");
    pages.put(entry.page(), entry.root());
    page = entry;
    slot = entry.isInSegment() ? width : 0;
  }

  @Override
  public void addBlock(long local, ByteBuffer data) throws UnreadableException {
    skipToData();
    require(
        page != null && slot < width && local == page.page() * TreeShape.FANOUT + slot,
        "block " + local + " is not in its place");
    require(
        Arrays.equals(hashes.leaf(data), page.hash(slot)),
        "block " + local + " does not have its leaf hash");
    slot++;
  }

  /**
   * Checks the rest, after all content was taken.
   *
   * @param certified the region's root with this checkpoint and all older ones
   */
  public void finish(byte[] certified) throws UnreadableException {
    requireAllBlocks();
    require(
        !oldest || Arrays.equals(root(), certified),
        "its pages do not have the root that was certified");
  }

  private void requireAllBlocks() throws UnreadableException {
    skipToData();
    require(
        page == null || slot >= width,
        page == null ? "" : "page " + page.page() + " lacks the data of block " + slot);
  }

  private void skipToData() {
    while (page != null && slot < width && !page.hasData(slot)) {
      slot++;
    }
  }

  private static void require(boolean right, String what) throws UnreadableException {
    if (!right) {
      throw new UnreadableException(what);
    }
  }

  private byte[] root() {
    TreeMap<Long, byte[]> below = pages;
    for (int level = 1; level <= shape.top(); level++) {
      int size = shape.width(level) * Hashes.BYTES;
      TreeMap<Long, byte[]> here = new TreeMap<>();
      below.forEach(
          (child, hash) ->
              System.arraycopy(
                  hash,
                  0,
                  here.computeIfAbsent(TreeShape.parent(child), p -> new byte[size]),
                  TreeShape.slot(child) * Hashes.BYTES,
                  Hashes.BYTES));
      here.replaceAll((parent, children) -> hashes.root(children));
      below = here;
    }
    return below.getOrDefault(0L, Hashes.zero());
  }
}
