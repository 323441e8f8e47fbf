package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/** One checkpoint, open for reading. Thread-safe. */
public interface CheckpointReader {

  /** Whether the checkpoint says what a block is, which may be zeros. The answer is in memory. */
  boolean has(long local) throws UnreadableException;

  /** The entry of a page, or null if the checkpoint has none. */
  PageEntry readPage(long page) throws UnreadableException;

  /**
   * Appends a block that the checkpoint has to {@code into}, verified by its leaf hash. Returns
   * false, and appends nothing, if the block reads as zeros. Only {@link CheckpointWithSegments}
   * has data that is in a log segment.
   */
  boolean readBlock(long local, ByteBuffer into) throws UnreadableException;

  /**
   * The pages of which the checkpoint has blocks, in ascending order. Callers must not change the
   * array.
   */
  long[] pages() throws UnreadableException;

  /** Tells the root of each of its {@link #pages}, in ascending order. */
  void roots(RootSink to) throws UnreadableException;

  /** Takes roots of pages. */
  interface RootSink {
    void root(long page, byte[] hash);
  }
}
