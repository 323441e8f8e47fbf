package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.tree.Hashes;

/** Hashes blocks and copies them. */
public final class HashedBlocks implements BlockBytes {
  private final Hashes hashes = new Hashes();

  @Override
  public byte[] leaf(ByteBuffer block) {
    return hashes.leaf(block);
  }

  @Override
  public ByteBuffer join(List<ByteBuffer> blocks) {
    ByteBuffer joined = ByteBuffer.allocate(blocks.stream().mapToInt(ByteBuffer::remaining).sum());
    blocks.forEach(x -> joined.put(x.duplicate()));
    return joined.flip();
  }
}
