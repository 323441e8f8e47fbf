package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/**
 * Takes a checkpoint's content in order: each page's entry, then the data of its blocks if the
 * checkpoint has it.
 */
public interface CheckpointSink {

  void addPage(PageEntry entry) throws UnreadableException;

  /**
   * Takes a block of the page added last: the remaining bytes of {@code data}, which may change
   * after the call.
   */
  void addBlock(long local, ByteBuffer data) throws UnreadableException;
}
