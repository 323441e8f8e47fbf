package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.block.ReadTarget;

/**
 * One call of a {@link Volume}: what it asks of a session, and what it makes of the answer.
 * Everything but the constructor and {@link #fail} must be called on the volume's loop.
 *
 * @param <T> what its caller gets
 */
abstract class Operation<T> {
  /** Bytes that each request holds beside its data: itself, its future, its place in line. */
  static final int OF_REQUEST = 1024;

  /** The kinds of requests. */
  enum Kind {
    READ,
    WRITE,
    ZERO,
    FLUSH,
    EXTENTS
  }

  final long offset;
  final long length;
  final RequestFuture<T> result = new RequestFuture<>(this::changes);

  /** When it was called, by the clock of its {@link Outstanding}. */
  long called;

  /** Whether {@link #prepare} was called. */
  boolean prepared;

  /** The number of reads from {@link #prepare} that are not done. */
  int needed;

  /** Its place in the order in which sessions got operations, from 1; 0 before. */
  long order;

  /** Whether it waits in its volume's {@link RequestQueue}. */
  boolean waits;

  /** The last earlier change to its blocks that waited when it began to wait; null for none. */
  Operation<?> after;

  /** Whether a session may have sent something of it. */
  private volatile boolean inDoubt;

  private final int blockSize;
  private final AtomicBoolean over = new AtomicBoolean();
  private BiConsumer<Operation<?>, Throwable> whenOver = (op, why) -> {};

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

  /** What it is counted as. */
  abstract Kind kind();

  /** Bytes of memory that it holds until its end, as estimated. */
  long weight() {
    return OF_REQUEST;
  }

  /** Sets what is told once of its end, with null or the failure. */
  final void whenOver(BiConsumer<Operation<?>, Throwable> told) {
    whenOver = told;
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

  private boolean beginsInside() {
    return offset % blockSize != 0;
  }

  private boolean endsInside() {
    return (offset + length) % blockSize != 0;
  }

  /** Whether a change of these bytes keeps some of its first block. */
  final boolean keepsHead() {
    return beginsInside() || endsInside() && endBlock() - firstBlock() == 1;
  }

  /** Whether a change of these bytes keeps some of its last block, which is not its first. */
  final boolean keepsTail() {
    return endsInside() && endBlock() - firstBlock() > 1;
  }

  /** Reads the first and the last block, each unless its buffer is null. */
  final List<CompletableFuture<SessionEffect.Outcome>> readEdges(
      BlockSession session, ByteBuffer head, ByteBuffer tail) {
    List<CompletableFuture<SessionEffect.Outcome>> edges = new ArrayList<>();
    if (head != null) {
      edges.add(session.readToChange(firstBlock(), ReadTarget.of(head)));
    }
    if (tail != null) {
      edges.add(session.readToChange(endBlock() - 1, ReadTarget.of(tail)));
    }
    return edges;
  }

  /** Ends a request that succeeded. */
  final void succeed(SessionEffect.Outcome e) {
    done(e);
    end(null);
  }

  /** Takes the request's outcome, for example the extents that were found. */
  void done(SessionEffect.Outcome e) {}

  /** What the caller of a request that succeeded gets. */
  T value() {
    return null;
  }

  /** Notes whether a session may have sent something of it. */
  final void setInDoubt(boolean maySend) {
    inDoubt = maySend;
  }

  /**
   * Fails a request; one that changes the volume and is in doubt with an unknown outcome. Has no
   * effect when it has ended. May be called on any thread.
   */
  final void fail(SalusException why) {
    end(inDoubt && changes() ? new SalusException.UnknownOutcome(why) : why);
  }

  /** Ends a request that was cancelled before a session had it. */
  final void drop() {
    end(new CancellationException());
  }

  private void end(Throwable why) {
    if (over.compareAndSet(false, true)) {
      whenOver.accept(this, why);
    }
    result.end(why == null ? value() : null, why);
  }
}
