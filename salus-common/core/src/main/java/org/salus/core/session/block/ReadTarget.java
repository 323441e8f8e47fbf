package org.salus.core.session.block;

import java.nio.ByteBuffer;

/**
 * Takes the blocks of a read, one by one, each as soon as the volume tree has confirmed it. They
 * come in any order, and some again. A read that fails may have given some of them.
 */
public interface ReadTarget {

  /**
   * Takes one block.
   *
   * @param at where it belongs, in bytes from the beginning of the read's first block
   * @param block its bytes; they must not be kept, and their position must stay
   */
  void put(long at, ByteBuffer block);

  /** Fills a buffer's remaining bytes; its position stays. */
  static ReadTarget of(ByteBuffer into) {
    return new InBuffer(into.slice());
  }

  /** Puts blocks into one buffer. A record, so that the explorer can compare sessions. */
  record InBuffer(ByteBuffer into) implements ReadTarget {
    @Override
    public void put(long at, ByteBuffer block) {
      into.put((int) at, block, block.position(), block.remaining());
    }
  }
}
