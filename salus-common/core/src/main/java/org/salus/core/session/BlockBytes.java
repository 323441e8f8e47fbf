package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a session makes of the bytes that it is given to write: {@link HashedBlocks}, or something
 * cheaper where the bytes are known. Not thread-safe.
 */
public interface BlockBytes {

  /** The hash of a block's bytes. Nobody changes it. */
  byte[] leaf(ByteBuffer block);

  /**
   * Blocks, one at least, as one buffer of their own: it may still be on its way when the request
   * is done.
   */
  ByteBuffer join(List<ByteBuffer> blocks);
}
