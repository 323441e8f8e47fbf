package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A mounted virtual disk: the one writer's handle (paper §4.1).
 *
 * <p>Offsets and lengths are bytes; any alignment is allowed, and a write to part of a block is
 * atomic against its neighbours. Any number of requests may be outstanding; they take effect in the
 * order in which the methods were called (ordered-commit). Thread-safe. A buffer belongs to the
 * volume until the future of its request completes. Futures complete on the volume's own thread:
 * what is chained to them without an executor must not block.
 *
 * <p>Futures fail with a {@link SalusException} subtype, never with anything else; a request out of
 * range fails with {@link IllegalArgumentException} thrown by the call itself.
 */
public interface Volume extends AutoCloseable {

  /** The volume's name. */
  String name();

  /** Size in bytes, a multiple of {@link #blockSize()}. */
  long size();

  /** Block size in bytes: a power of two from 4 KiB to 256 KiB. */
  int blockSize();

  /**
   * Fills {@code dst} from {@code offset}; its remaining bytes are the length. The position is
   * advanced on success.
   */
  CompletableFuture<Void> read(long offset, ByteBuffer dst);

  /**
   * Writes the remaining bytes of {@code src} at {@code offset}.
   *
   * @param fua complete only when the write is on disk (fsync) on three DataNodes, whatever the
   *     volume's durability
   */
  CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua);

  /** As {@link #write(long, ByteBuffer, boolean)} without forced unit access. */
  default CompletableFuture<Void> write(long offset, ByteBuffer src) {
    return write(offset, src, false);
  }

  /** Makes the range read as zeros and gives its space back where whole blocks are covered. */
  CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua);

  /** Completes when everything completed before this call is on disk (fsync) on three DataNodes. */
  CompletableFuture<Void> flush();

  /**
   * Which parts of the range hold data and which are known to read as zeros, in order, without
   * gaps, from the range's beginning; neighbours differ in kind. Covers at least one block, and of
   * a long range perhaps only the beginning: ask again from where it ends. May report zeros as
   * data, never data as zeros.
   */
  CompletableFuture<List<Extent>> extents(long offset, long length);

  /**
   * Waits for outstanding requests, except in a callback of one, and gives the writer's lock back.
   * Idempotent.
   */
  @Override
  void close();

  /** A run of bytes of one kind. */
  record Extent(long offset, long length, boolean zero) {}
}
