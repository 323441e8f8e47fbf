package org.salus.core.session;

import java.nio.ByteBuffer;

/** An application's write, zeroing or flush, until it is acknowledged. */
final class WriteRequest {
  /** The id of a flush that no application asked for. */
  static final long INTERNAL = -1;

  final long id;
  final long firstBlock;

  /** The number of blocks; 0 for a flush. */
  final long count;

  /** The bytes to write; null for zeros and a flush. */
  final ByteBuffer data;

  final boolean sync;
  final long since;

  /** Whether the pages that it needs were asked for already. */
  boolean prefetched;

  /** The number of its first blocks that are in batches already. */
  long batched;

  /** The seq with which the request is acknowledged. */
  long lastSeq;

  WriteRequest(long id, long firstBlock, long count, ByteBuffer data, boolean sync, long since) {
    this.id = id;
    this.firstBlock = firstBlock;
    this.count = count;
    this.data = data;
    this.sync = sync;
    this.since = since;
  }

  boolean isInternal() {
    return id == INTERNAL;
  }

  boolean isFlush() {
    return count == 0;
  }

  long next() {
    return firstBlock + batched;
  }

  /** Whether a block of this range is not in a batch yet. */
  boolean isQueuedFor(long from, long to) {
    return batched < count && next() < to && from < firstBlock + count;
  }
}
