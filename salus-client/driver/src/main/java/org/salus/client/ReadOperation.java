package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * Reads bytes. A read of whole blocks that is not merged goes straight into the caller's buffer.
 */
final class ReadOperation extends Operation {
  private final ByteBuffer dst;

  /** Holds the bytes when the read is done; null when the caller's buffer itself has them. */
  private ByteBuffer found;

  ReadOperation(int blockSize, long offset, ByteBuffer dst) {
    super(blockSize, offset, dst.remaining());
    this.dst = dst;
  }

  @Override
  boolean changes() {
    return false;
  }

  /** Whether it begins and ends at block boundaries. */
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

  /** Takes the place where a merged request puts this read's bytes when it succeeds. */
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
