package org.salus.sim.scale;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.session.block.BlockBytes;
import org.salus.core.tree.Hashes;

/**
 * Blocks that all have the same bytes. These are in memory once, however many blocks are on their
 * way, and cannot be changed.
 */
final class SameBlocks implements BlockBytes {
  /** The most blocks in a batch. */
  private static final int MOST = 256;

  private final ByteBuffer all;
  private final ByteBuffer block;
  private final byte[] leaf;

  SameBlocks() {
    ByteBuffer blocks = ByteBuffer.allocateDirect(MOST * ScaleScenario.BLOCK);
    for (int i = 0; i < MOST; i++) {
      blocks.putLong(i * ScaleScenario.BLOCK, 1); // zeros would not be sent
    }
    all = blocks.asReadOnlyBuffer();
    block = all.slice(0, ScaleScenario.BLOCK);
    leaf = new Hashes().leaf(block);
  }

  /** A block. All are equal. */
  ByteBuffer block() {
    return block;
  }

  @Override
  public byte[] leaf(ByteBuffer ofBlock) {
    return leaf;
  }

  @Override
  public ByteBuffer join(List<ByteBuffer> blocks) {
    return all.slice(0, blocks.size() * ScaleScenario.BLOCK);
  }
}
