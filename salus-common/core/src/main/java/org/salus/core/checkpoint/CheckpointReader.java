package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/** One checkpoint, open for reading. Safe for use by many threads. */
public interface CheckpointReader {

  /** Whether it says what a block is, which may be zeros; found in memory. */
  boolean has(long local) throws UnreadableException;

  /** What it holds of a page, or null. */
  PageEntry readPage(long page) throws UnreadableException;

  /**
   * Appends a block that it has to {@code into}, as its leaf hash says; false, and nothing
   * appended, where it reads as zeros. What is in a log segment only {@link CheckpointWithSegments}
   * has.
   */
  boolean readBlock(long local, ByteBuffer into) throws UnreadableException;

  /** Of which pages it holds something, in ascending order; not to be changed. */
  long[] pages() throws UnreadableException;

  /** Tells the root of every page that it holds something of, in ascending order. */
  void roots(RootSink to) throws UnreadableException;

  /** Takes roots of pages. */
  interface RootSink {
    void root(long page, byte[] hash);
  }
}
