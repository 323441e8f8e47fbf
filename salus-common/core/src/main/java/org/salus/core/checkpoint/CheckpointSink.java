package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/**
 * Takes a checkpoint's content in its order: each page's entry, then its blocks' data if it is
 * here.
 */
public interface CheckpointSink {

  void addPage(PageEntry entry) throws UnreadableException;

  /** The remaining bytes of a block of the page told last; they may change after the call. */
  void addBlock(long local, ByteBuffer data) throws UnreadableException;
}
