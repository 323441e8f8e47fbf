package org.salus.core.session.block;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.tree.Hashes;

/** Hashes blocks. Copies those that are to be joined, unless they lie side by side already. */
public final class HashedBlocks implements BlockBytes {
  private final Hashes hashes = new Hashes();

  @Override
  public byte[] leaf(ByteBuffer block) {
    return hashes.leaf(block);
  }

  @Override
  public ByteBuffer join(List<ByteBuffer> blocks) {
    ByteBuffer first = blocks.get(0);
    int length = blocks.stream().mapToInt(ByteBuffer::remaining).sum();
    if (areNeighbours(blocks)) {
      return ByteBuffer.wrap(first.array(), first.arrayOffset() + first.position(), length).slice();
    }
    ByteBuffer joined = ByteBuffer.allocate(length);
    blocks.forEach(x -> joined.put(x.duplicate()));
    return joined.flip();
  }

  /** Whether the blocks follow one another in one array. */
  private static boolean areNeighbours(List<ByteBuffer> blocks) {
    int next = -1;
    for (ByteBuffer b : blocks) {
      if (!b.hasArray()
          || b.array() != blocks.get(0).array()
          || next >= 0 && b.arrayOffset() + b.position() != next) {
        return false;
      }
      next = b.arrayOffset() + b.limit();
    }
    return true;
  }
}
