package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.List;

/** Finds blocks and pages in a region's checkpoints: the newest that has them counts. */
public final class CheckpointLookup {

  private CheckpointLookup() {}

  /**
   * The blocks of a page that the checkpoints together hold, with the root in the newest.
   *
   * @param newestFirst the checkpoints, newest first: the first that has a block counts
   */
  public static PageEntry page(long page, List<? extends CheckpointReader> newestFirst)
      throws UnreadableException {
    PageEntry merged = new PageEntry(page);
    for (CheckpointReader c : newestFirst) {
      PageEntry p = c.readPage(page);
      if (p != null) {
        if (merged.isEmpty()) {
          merged.setRoot(p.root());
        }
        merged.addOlder(p);
        if (merged.isFull()) {
          break;
        }
      }
    }
    return merged;
  }

  /**
   * Appends a block's bytes to {@code into}. Returns false, and appends nothing, if the block reads
   * as zeros.
   */
  public static boolean block(
      long local, List<? extends CheckpointReader> newestFirst, ByteBuffer into)
      throws UnreadableException {
    for (CheckpointReader c : newestFirst) {
      if (c.has(local)) {
        return c.readBlock(local, into);
      }
    }
    return false;
  }
}
