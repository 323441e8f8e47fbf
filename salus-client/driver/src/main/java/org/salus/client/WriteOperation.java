package org.salus.client;

import java.nio.ByteBuffer;

/**
 * Writes bytes; where they are not whole blocks, in a copy with the rest of the first and last
 * block around them.
 */
final class WriteOperation extends Operation {
  private final ByteBuffer src;
  private final boolean fua;
  private ByteBuffer blocks;

  WriteOperation(RemoteVolume volume, long offset, ByteBuffer src, boolean fua) {
    super(volume, offset, src.remaining());
    this.src = src;
    this.fua = fua;
  }

  @Override
  void prepare() {
    boolean headless = offset % block() != 0;
    boolean tailless = (offset + length) % block() != 0;
    if (!headless && !tailless) {
      blocks = src.slice();
      return;
    }
    blocks = ByteBuffer.allocate((int) (endBlock() - firstBlock()) * block());
    if (headless || endBlock() - firstBlock() == 1) {
      need(firstBlock(), blocks.slice(0, block()));
    }
    if (tailless && endBlock() - firstBlock() > 1) {
      need(endBlock() - 1, blocks.slice(blocks.capacity() - block(), block()));
    }
  }

  @Override
  void issue() {
    boolean copied = blocks.capacity() != length;
    if (copied) {
      blocks.slice((int) (offset - firstBlock() * block()), (int) length).put(src.slice());
    }
    finishWith(request((session, id, now) -> session.write(id, firstBlock(), blocks, fua, now)));
  }
}
