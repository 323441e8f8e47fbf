package org.salus.core.session;

import java.nio.ByteBuffer;

/**
 * A write, a zeroing or a flush from the application, while it waits to be batched and then to be
 * acknowledged.
 */
final class WriteRequest {
  /** The id of a flush that no application asked for. */
  static final long INTERNAL = -1;

  final long id;
  final long firstBlock;

  /** 0 for a flush. */
  final long count;

  /** Null for zeros and a flush. */
  final ByteBuffer data;

  final boolean sync;
  final long since;

  /** Whether the pages that it needs first were asked for. */
  boolean prefetched;

  /** Blocks that stand in batches already. */
  long batched;

  /** The request is acknowledged when this seq is. */
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

  boolean touches(long from, long to) {
    return next() < to && from < firstBlock + count;
  }
}
