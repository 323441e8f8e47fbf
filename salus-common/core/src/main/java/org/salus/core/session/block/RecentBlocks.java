package org.salus.core.session.block;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the session's newest changes put into their blocks, whether they are acknowledged or not. A
 * change of a part of such a block needs no read. It is known for one session only: no change of a
 * session fails unless the session ends. The bytes are bounded; the oldest changes are forgotten
 * first. Not thread-safe.
 */
public final class RecentBlocks {
  /** A change; {@code data} is null for zeros. */
  private record Change(long from, long to, ByteBuffer data) {}

  private final int blockSize;
  private final long most;
  private final ByteBuffer zeros;
  private final LastToTouch<Change> newest = new LastToTouch<>();
  private final Deque<Change> oldestFirst = new ArrayDeque<>();
  private long bytes;

  /**
   * @param most bytes that are kept, as they are counted: a zeroing counts as a block
   */
  public RecentBlocks(int blockSize, long most) {
    this.blockSize = blockSize;
    this.most = most;
    this.zeros = ByteBuffer.allocate(blockSize).asReadOnlyBuffer();
  }

  /**
   * Notes a change that comes after all others.
   *
   * @param data the blocks from {@code from} to {@code to}, which nobody changes any more; null for
   *     zeros
   */
  public void add(long from, long to, ByteBuffer data) {
    Change change = new Change(from, to, data);
    newest.add(change, from, to);
    oldestFirst.add(change);
    bytes += size(change);
    while (bytes > most) { // a change of more bytes than that forgets itself, too
      Change oldest = oldestFirst.remove();
      newest.remove(oldest, oldest.from, oldest.to);
      bytes -= size(oldest);
    }
  }

  /** The block's bytes after every change, to be read only; null if they are not known. */
  public ByteBuffer get(long block) {
    Change last = newest.last(block, block + 1);
    if (last == null || last.data == null) {
      return last == null ? null : zeros;
    }
    int at = (int) (block - last.from) * blockSize;
    return last.data.slice(last.data.position() + at, blockSize);
  }

  private long size(Change change) {
    return change.data == null ? blockSize : change.data.remaining();
  }
}
