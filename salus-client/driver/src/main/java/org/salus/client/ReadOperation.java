package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * Reads bytes; where they are whole blocks and nobody else's, straight into the caller's buffer.
 */
final class ReadOperation extends Operation {
  private final ByteBuffer dst;

  /** Where the bytes are when the read is done; null when in the caller's buffer. */
  private ByteBuffer found;

  ReadOperation(int blockSize, long offset, ByteBuffer dst) {
    super(blockSize, offset, dst.remaining());
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
  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    ByteBuffer blocks =
        isWhole() ? dst.slice() : ByteBuffer.allocate((int) (endBlock() - firstBlock()) * block());
    found = isWhole() ? null : blocks.slice((int) (offset - firstBlock() * block()), (int) length);
    return session.read(firstBlock(), blocks);
  }

  /** A request that was for others, too, puts this one's bytes here if it succeeds. */
  void findsIn(ByteBuffer bytes) {
    found = bytes;
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
