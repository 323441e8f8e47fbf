package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/** One checkpoint, open for reading. Safe for use by many threads. */
public interface CheckpointReader {

  /** What it holds of a page, or null. */
  PageEntry readPage(long page) throws UnreadableException;

  /**
   * Appends a block that it has data of to {@code into}, as its leaf hash says. What is in a log segment only {@link
   * CheckpointWithSegments} has.
   */
  void readBlock(long local, ByteBuffer into) throws UnreadableException;

  /** Of which pages it holds something, in ascending order; not to be changed. */
  long[] pages() throws UnreadableException;

  /** Tells the root of every page that it holds something of, in ascending order. */
  void roots(RootSink to) throws UnreadableException;

  /** Takes roots of pages. */
  interface RootSink {
    void root(long page, byte[] hash);
  }
}
