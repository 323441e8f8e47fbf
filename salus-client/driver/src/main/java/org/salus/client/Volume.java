package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A mounted volume: the handle of its one writer (paper §4.1). Thread-safe.
 *
 * <p>Offsets and lengths are bytes; any alignment is allowed, and a write to part of a block is
 * atomic against its neighbours. Any number of requests may be outstanding. Changes take effect in
 * the order of the calls (ordered-commit, §2.2). A read sees every change that was called before
 * it; of those that are called while it is outstanding, it may see some in one block and others in
 * the next. A write of more than 8 MiB is performed in parts: another thread's write may come
 * between two of them.
 *
 * <p><b>Buffers.</b> A call takes a buffer's position and limit, and a write copies the bytes: the
 * caller may do with the buffer what it likes once the call has returned. A read writes into the
 * buffer until its future is done, and never after. No request moves a buffer's position or limit.
 *
 * <p><b>Memory.</b> Outstanding requests hold memory, which {@code salus.client.outstanding.bytes}
 * or {@link OpenOptions#maxOutstandingBytes} bounds. A call that finds too little waits, in line
 * with others, until requests have ended. It fails with {@link SalusException.Overloaded} after the
 * request timeout, when its thread is interrupted, or when it is made on the volume's own thread,
 * which must not wait.
 *
 * <p><b>Futures.</b> Only the volume completes the future of a request; its {@code complete} and
 * {@code obtrude} methods throw {@link UnsupportedOperationException}. {@code cancel} returns true
 * if it has ended the request. A read can be cancelled at any time. A write can be until it is
 * sent, and then never takes effect; later {@code cancel} returns false, and the future ends with
 * the write. {@code orTimeout} ends the future, not the write, which may take effect. A copy of the
 * future ends nothing.
 *
 * <p><b>Callbacks.</b> What is chained to a future runs on the callback executor. By default that
 * is a pool of the client's, where it may block. A future is done before that, and who waits for it
 * needs no turn there. A thread that answers requests may not wait for one: {@code join} and {@code
 * get} throw {@link IllegalStateException} there.
 *
 * <p><b>Failures.</b> A future fails with a {@link SalusException}. A bad request throws {@link
 * IllegalArgumentException} in the call: one out of range, or a read into a read-only buffer. A
 * buffer that is null throws {@link NullPointerException}. What goes wrong in one request fails
 * that request. After a bug, or when no memory is left for the driver itself, the volume ends, and
 * with it each of its requests ({@link SalusException.Broken}); the client's other volumes go on.
 *
 * <p>A write, zeroing or flush that fails with {@link SalusException.UnknownOutcome} may have taken
 * effect. One that fails otherwise has not, and never will. Later ones go on nevertheless, unless
 * the volume was opened to stop there ({@link OpenOptions#stopAtFailedWrite}).
 */
public interface Volume extends AutoCloseable {

  /** The volume's name. */
  String name();

  /** Size in bytes, a multiple of {@link #blockSize()}. */
  long size();

  /** Block size in bytes: a power of two from 4 KiB to 256 KiB. */
  int blockSize();

  /** Fills the remaining bytes of {@code dst} from {@code offset}, or some of them if it fails. */
  CompletableFuture<Void> read(long offset, ByteBuffer dst);

  /**
   * Writes the remaining bytes of {@code src} at {@code offset}.
   *
   * @param fua forced unit access: the future completes only when the write is on disk at all
   *     members' DataNodes, whatever the volume's durability
   */
  CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua);

  /** Same as {@link #write(long, ByteBuffer, boolean)} without FUA. */
  default CompletableFuture<Void> write(long offset, ByteBuffer src) {
    return write(offset, src, false);
  }

  /** Makes the range read as zeros. Blocks that it covers whole give their space back. */
  CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua);

  /**
   * Brings every write and zeroing that was called before this call to disk at all members'
   * DataNodes, also those that are still outstanding.
   */
  CompletableFuture<Void> flush();

  /**
   * Finds which parts of the range hold data and which are known to read as zeros. The extents are
   * in order, without gaps, from the range's beginning; neighbours differ in kind.
   *
   * <p>The answer covers at least one block. It may cover only the beginning of a long range: ask
   * again from its end. It may report zeros as data, never data as zeros.
   */
  CompletableFuture<List<Extent>> extents(long offset, long length);

  /** Where callbacks run. It runs every task that it is given; a task must not throw. */
  default Executor callbackExecutor() {
    return Runnable::run;
  }

  /** What this handle is doing and has done. */
  default VolumeStatistics statistics() {
    return VolumeStatistics.NONE;
  }

  /**
   * Waits for outstanding requests, except on the thread that answers them, and gives the writer's
   * lease back. Does not wait for callbacks. Idempotent.
   */
  @Override
  void close();

  /**
   * A run of bytes of one kind.
   *
   * @param offset in bytes from the volume's beginning
   * @param length in bytes
   * @param zero whether all of them read as zeros
   */
  record Extent(long offset, long length, boolean zero) {}
}
