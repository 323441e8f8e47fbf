package org.salus.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * One call of a {@link Volume}: what it asks of a session, and what it makes of the answer.
 * Everything but the constructor must be called on the volume's loop.
 */
abstract class Operation {
  final long offset;
  final long length;
  final RequestFuture result = new RequestFuture();

  /** Whether {@link #prepare} was called. */
  boolean prepared;

  /** The number of reads from {@link #prepare} that are not done. */
  int needed;

  /** Whether it waits in its volume's {@link RequestQueue}. */
  boolean waits;

  /** The last earlier change to its blocks that waited when it began to wait; null for none. */
  Operation after;

  private final int blockSize;

  /**
   * @param offset in bytes, from 0
   * @param length in bytes; 0 for an operation that touches no block but keeps its place in the
   *     order
   */
  Operation(int blockSize, long offset, long length) {
    this.blockSize = blockSize;
    this.offset = offset;
    this.length = length;
  }

  /** Starts the reads whose blocks {@link #issue} needs. */
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    return List.of();
  }

  /** Hands the operation to the session. */
  abstract CompletableFuture<SessionEffect.Outcome> issue(BlockSession session);

  /** Whether it changes the volume or puts changes on disk. */
  boolean changes() {
    return true;
  }

  /** Whether it may log blocks, for which there must be room. */
  boolean needsRoom() {
    return changes();
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

  /** Ends a request that succeeded. */
  final void succeed(SessionEffect.Outcome e) {
    done(e);
    result.complete(null);
  }

  /** Takes the request's outcome, for example the bytes that were read. */
  void done(SessionEffect.Outcome e) {}

  final void fail(SalusException why) {
    result.completeExceptionally(why);
  }
}
