package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.tree.Hashes;

/**
 * What a session makes of the bytes that it is given to write; replaceable where it is known what
 * these are. Not thread-safe.
 */
public class BlockBytes {
  private final Hashes hashes = new Hashes();

  /** The hash of a block's bytes. Nobody changes it. */
  public byte[] leaf(ByteBuffer block) {
    return hashes.leaf(block);
  }

  /**
   * Blocks, one at least, as one buffer of their own: it may still be on its way when the request
   * is done.
   */
  public ByteBuffer join(List<ByteBuffer> blocks) {
    ByteBuffer joined = ByteBuffer.allocate(blocks.stream().mapToInt(ByteBuffer::remaining).sum());
    blocks.forEach(x -> joined.put(x.duplicate()));
    return joined.flip();
  }
}
