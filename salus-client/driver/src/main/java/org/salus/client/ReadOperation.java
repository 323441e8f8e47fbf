package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.block.ReadTarget;

/**
 * Reads bytes. Confirmed blocks go straight into the caller's buffer, at the place that it had at
 * the call, and only until the request has ended for the caller.
 */
final class ReadOperation extends Operation<Void> implements ReadTarget {
  private final ByteBuffer into;

  ReadOperation(int blockSize, long offset, ByteBuffer dst) {
    super(blockSize, offset, dst.remaining());
    this.into = dst.slice();
  }

  @Override
  Kind kind() {
    return Kind.READ;
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
    return session.read(firstBlock(), endBlock() - firstBlock(), this);
  }

  @Override
  public void put(long at, ByteBuffer found) {
    long from = firstBlock() * block() + at - offset;
    int skipped = (int) Math.max(0, -from);
    int taken = (int) Math.min(found.remaining(), length - from) - skipped;
    int to = (int) (from + skipped);
    try {
      result.whileOpen(() -> into.put(to, found, found.position() + skipped, taken));
    } catch (RuntimeException | InternalError gone) {
      // Its memory may be of a closed arena, or of a file that was cut.
      fail(new SalusException.Failed("nothing can be put into the buffer of a read", gone));
    }
  }
}
