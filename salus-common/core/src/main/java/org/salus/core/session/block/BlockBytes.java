package org.salus.core.session.block;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Hashes and joins the blocks that a session is given to write. {@link HashedBlocks} does so for
 * any bytes; for known bytes there are cheaper ways. Not thread-safe.
 */
public interface BlockBytes {

  /** The leaf hash of a block's bytes. The caller must not change it. */
  byte[] leaf(ByteBuffer block);

  /**
   * Joins one block or more to one payload. It may share the blocks' memory, since nobody changes
   * blocks that are given to a session. It may be in use after the request is done.
   */
  ByteBuffer join(List<ByteBuffer> blocks);
}
