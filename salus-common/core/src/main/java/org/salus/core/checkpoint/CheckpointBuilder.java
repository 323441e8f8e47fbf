package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;

/**
 * Makes one checkpoint (paper §4.2.3). A flush leaves the blocks' data in the segment. Not
 * thread-safe.
 */
public final class CheckpointBuilder {

  /** The root of every page that the checkpoint touches. */
  public record Roots(long[] pages, byte[] hashes) {
    public byte[] hash(int i) {
      return Arrays.copyOfRange(hashes, i * Hashes.BYTES, (i + 1) * Hashes.BYTES);
    }
  }

  private final Hashes hashes = new Hashes();
  private final int width;
  private final CheckpointSink sink;
  private final ByteBuffer data;
  private final List<Long> pages = new ArrayList<>();
  private final List<byte[]> roots = new ArrayList<>();

  /**
   * @param width the number of blocks of a lowest page in this region
   */
  public CheckpointBuilder(int width, int blockSize, CheckpointSink sink) {
    this.width = width;
    this.sink = sink;
    this.data = ByteBuffer.allocate(blockSize);
  }

  /**
   * Flushes a generation.
   *
   * @param segment the generation's
   * @param older the live checkpoints, newest first
   */
  public Roots flush(Generation.Snapshot g, long segment, List<? extends CheckpointReader> older)
      throws UnreadableException {
    for (int i = 0; i < g.locals().length; ) {
      long page = TreeShape.page(0, g.locals()[i]);
      PageEntry entry = new PageEntry(page, segment);
      int begin = i;
      for (; i < g.locals().length && TreeShape.page(0, g.locals()[i]) == page; i++) {
        entry.set(TreeShape.slot(g.locals()[i]), g.hash(i), g.offsets()[i]);
      }
      entry.setRoot(rootOver(entry, i - begin, older));
      sink.addPage(entry);
      remember(entry);
    }
    return finish();
  }

  private byte[] rootOver(PageEntry entry, int blocks, List<? extends CheckpointReader> older)
      throws UnreadableException {
    PageEntry whole = new PageEntry(entry.page());
    whole.addOlder(entry);
    if (blocks < width && !older.isEmpty()) {
      whole.addOlder(CheckpointLookup.page(entry.page(), older));
    }
    return hashes.root(whole.children(width));
  }

  /**
   * Merges checkpoints.
   *
   * @param newestFirst neighbours in the region's list
   * @param oldest whether no older checkpoint is left. If so, the result need not say which blocks
   *     are zeros
   */
  public Roots compact(List<? extends CheckpointReader> newestFirst, boolean oldest)
      throws UnreadableException {
    LongStream touched = LongStream.empty();
    for (CheckpointReader c : newestFirst) {
      touched = LongStream.concat(touched, Arrays.stream(c.pages()));
    }
    for (long page : touched.sorted().distinct().toArray()) {
      merge(page, newestFirst, oldest);
    }
    return finish();
  }

  private void merge(long page, List<? extends CheckpointReader> newestFirst, boolean oldest)
      throws UnreadableException {
    PageEntry merged = new PageEntry(page);
    CheckpointReader[] from = new CheckpointReader[TreeShape.FANOUT];
    for (CheckpointReader c : newestFirst) {
      PageEntry entry = c.readPage(page);
      if (entry != null && merged.isEmpty()) {
        merged.setRoot(entry.root());
      }
      for (int slot = 0; entry != null && slot < width; slot++) {
        if (entry.has(slot) && !merged.has(slot)) {
          merged.set(slot, entry.hash(slot));
          from[slot] = c;
        }
      }
    }
    for (int slot = 0; oldest && slot < width; slot++) {
      if (merged.has(slot) && !merged.hasData(slot)) {
        merged.remove(slot);
      }
    }
    if (merged.isEmpty()) {
      return;
    }
    sink.addPage(merged);
    for (int slot = 0; slot < width; slot++) {
      if (merged.hasData(slot)) {
        long local = page * TreeShape.FANOUT + slot;
        if (!from[slot].readBlock(local, data.clear())) {
          throw new UnreadableException(
              "block "
                  + local
                  + " has data in one replica of a checkpoint, and is zeros in another");
        }
        sink.addBlock(local, data.flip());
      }
    }
    remember(merged);
  }

  private void remember(PageEntry entry) {
    pages.add(entry.page());
    roots.add(entry.root());
  }

  private Roots finish() {
    long[] p = new long[pages.size()];
    byte[] h = new byte[p.length * Hashes.BYTES];
    for (int i = 0; i < p.length; i++) {
      p[i] = pages.get(i);
      System.arraycopy(roots.get(i), 0, h, i * Hashes.BYTES, Hashes.BYTES);
    }
    return new Roots(p, h);
  }
}
