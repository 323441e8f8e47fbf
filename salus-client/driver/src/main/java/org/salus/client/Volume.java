package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A mounted volume: the handle of its one writer (paper §4.1).
 *
 * <p>Offsets and lengths are bytes; any alignment is allowed, and a write to part of a block is
 * atomic against its neighbours. Any number of requests may be outstanding. They take effect in the
 * order of the calls (ordered-commit, §2.2). Futures complete on the volume's own thread, so code
 * chained to them without an executor must not block. Thread-safe.
 *
 * <p><b>Buffers.</b> A call takes a buffer's position and limit, and a write copies the bytes: the
 * caller may do with the buffer what it likes once the call has returned. A read writes into the
 * buffer until its future is done, and never after. A caller that completes the future itself, as a
 * cancel or {@code orTimeout} does, ends the request for itself alone: a write may still take
 * effect. Futures derived from it end nothing.
 *
 * <p>A future fails with a {@link SalusException}. A bad request throws {@link
 * IllegalArgumentException} in the call: one out of range, or a write whose blocks exceed 2 GiB.
 */
public interface Volume extends AutoCloseable {

  /** The volume's name. */
  String name();

  /** Size in bytes, a multiple of {@link #blockSize()}. */
  long size();

  /** Block size in bytes: a power of two from 4 KiB to 256 KiB. */
  int blockSize();

  /**
   * Fills the remaining bytes of {@code dst} from {@code offset}. On success, sets its position
   * behind them. If it fails, {@code dst} may hold some of the bytes.
   */
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

  /** Completes when everything completed before this call is on disk at all members' DataNodes. */
  CompletableFuture<Void> flush();

  /**
   * Finds which parts of the range hold data and which are known to read as zeros. The extents are
   * in order, without gaps, from the range's beginning; neighbours differ in kind.
   *
   * <p>The answer covers at least one block. It may cover only the beginning of a long range: ask
   * again from its end. It may report zeros as data, never data as zeros.
   */
  CompletableFuture<List<Extent>> extents(long offset, long length);

  /**
   * Waits for outstanding requests, except when called in a callback of one, and gives the writer's
   * lease back. Idempotent.
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
