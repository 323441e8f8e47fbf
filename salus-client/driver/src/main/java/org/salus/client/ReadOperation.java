package org.salus.client;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.ReadTarget;

/**
 * Reads bytes. Confirmed blocks go straight into the caller's buffer, at the place that it had at
 * the call, and only until the request has ended for the caller.
 */
final class ReadOperation extends Operation implements ReadTarget {
  private final ByteBuffer dst;
  private final ByteBuffer into;

  /** The caller's position when the read is done. */
  private final int end;

  ReadOperation(int blockSize, long offset, ByteBuffer dst) {
    super(blockSize, offset, dst.remaining());
    this.dst = dst;
    this.into = dst.slice();
    this.end = dst.limit();
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
    result.whileOpen(() -> into.put(to, found, found.position() + skipped, taken));
  }

  @Override
  void done(SessionEffect.Outcome e) {
    result.whileOpen(this::advance);
  }

  private void advance() {
    try {
      dst.position(end);
    } catch (IllegalArgumentException lowered) {
      // The caller has lowered its limit meanwhile. The bytes are there all the same.
    }
  }
}
