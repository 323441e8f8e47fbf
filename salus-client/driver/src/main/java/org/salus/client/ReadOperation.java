package org.salus.client;

import java.nio.ByteBuffer;
import org.salus.core.effect.SessionEffect;

/**
 * Reads bytes; where they are whole blocks and nobody else's, straight into the caller's buffer.
 */
final class ReadOperation extends Operation {
  private final ByteBuffer dst;

  /** Where the bytes are when the read is done; null when in the caller's buffer. */
  private ByteBuffer found;

  ReadOperation(RemoteVolume volume, long offset, ByteBuffer dst) {
    super(volume, offset, dst.remaining());
    this.dst = dst;
  }

  @Override
  boolean changes() {
    return false;
  }

  /** Whether it begins and ends where blocks do. */
  boolean isWhole() {
    return offset % block() == 0 && length % block() == 0;
  }

  @Override
  void issue() {
    ByteBuffer blocks =
        isWhole() ? dst.slice() : ByteBuffer.allocate((int) (endBlock() - firstBlock()) * block());
    found = isWhole() ? null : blocks.slice((int) (offset - firstBlock() * block()), (int) length);
    finishWith(request((session, id, now) -> session.read(id, firstBlock(), blocks, now)));
  }

  /**
   * The end of a request that was for others, too; {@code bytes} are this one's, if it succeeded.
   */
  void ended(SessionEffect.Outcome e, ByteBuffer bytes) {
    found = bytes;
    finish(e);
  }

  @Override
  void done(SessionEffect.Outcome e) {
    if (found == null) {
      dst.position(dst.position() + (int) length);
    } else {
      dst.put(found);
    }
  }
}
