package org.salus.client;

import java.nio.BufferOverflowException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * One call of a {@link Volume}: what it asks of a session, and what it makes of the answer. All but
 * the constructor is to be called on the volume's loop.
 */
abstract class Operation {
  final long offset;
  final long length;
  final CompletableFuture<Void> result = new CompletableFuture<>();

  /** Whether {@link #prepare} was called. */
  boolean prepared;

  /** How many reads that it was prepared with are not done. */
  int needed;

  private final int blockSize;

  /**
   * @param length 0: touches no block, and is in order all the same
   */
  Operation(int blockSize, long offset, long length) {
    this.blockSize = blockSize;
    this.offset = offset;
    this.length = length;
  }

  /** Starts the reads of what must be known before {@link #issue}. */
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    return List.of();
  }

  /** Hands the operation to the session. */
  abstract CompletableFuture<SessionEffect.Outcome> issue(BlockSession session);

  /** Whether it changes the volume, or makes changes durable. */
  boolean changes() {
    return true;
  }

  /** The block size in bytes. */
  final int block() {
    return blockSize;
  }

  final long firstBlock() {
    return offset / blockSize;
  }

  /** The block after the last. */
  final long endBlock() {
    return (offset + length + blockSize - 1) / blockSize;
  }

  final boolean overlaps(Operation o) {
    return firstBlock() < o.endBlock() && o.firstBlock() < endBlock();
  }

  /** The request succeeded: hands over what came of it. */
  final void succeed(SessionEffect.Outcome e) {
    try {
      done(e);
      result.complete(null);
    } catch (BufferOverflowException | IllegalArgumentException changed) {
      // The caller's buffer is no longer what it was when it was given.
      result.completeExceptionally(changed);
    }
  }

  /** Takes what the request has found. */
  void done(SessionEffect.Outcome e) {}

  final void fail(SalusException why) {
    result.completeExceptionally(why);
  }
}
