package org.salus.client;

import java.nio.ByteBuffer;
import org.salus.core.effect.Effect;

/** Reads bytes; where they are whole blocks, straight into the caller's buffer. */
final class ReadOperation extends Operation {
  private final ByteBuffer dst;
  private ByteBuffer blocks;

  ReadOperation(RemoteVolume volume, long offset, ByteBuffer dst) {
    super(volume, offset, dst.remaining());
    this.dst = dst;
  }

  @Override
  boolean changes() {
    return false;
  }

  @Override
  void issue() {
    boolean whole = offset % block() == 0 && length % block() == 0;
    blocks = whole ? dst.slice() : ByteBuffer.allocate((int) (endBlock() - firstBlock()) * block());
    finishWith(request((session, id, now) -> session.read(id, firstBlock(), blocks, now)));
  }

  @Override
  void done(Effect e) {
    if (blocks.hasArray() && blocks.capacity() != length) {
      dst.put(blocks.slice((int) (offset - firstBlock() * block()), (int) length));
    } else {
      dst.position(dst.position() + (int) length);
    }
  }
}
