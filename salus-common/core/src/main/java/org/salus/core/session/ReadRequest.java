package org.salus.core.session;

import java.util.SortedMap;
import org.salus.core.effect.SessionError;
import org.salus.core.session.block.ReadTarget;

/** An application's read, until it is answered. */
final class ReadRequest {
  /** Grows with each request, so that it is also the order of the calls. */
  final long id;

  final long first;

  /** The block after the last. */
  final long end;

  final ReadTarget into;
  final long since;

  /** Whether what it reads is only to be changed, and not shown. */
  final boolean toChange;

  /** The last earlier write to its blocks that is not in a batch; null for none. */
  private WriteRequest after;

  /** The first block that is not asked for yet. */
  long next;

  /** The number of parts that are not done, and one more while some are not asked for. */
  int parts = 1;

  SessionError failed;

  /** Where it waits; null if it does not. */
  SortedMap<Long, ReadRequest> place;

  ReadRequest(
      long id,
      long first,
      long count,
      ReadTarget into,
      boolean toChange,
      long since,
      WriteRequest after) {
    this.id = id;
    this.first = first;
    this.end = first + count;
    this.into = into;
    this.toChange = toChange;
    this.since = since;
    this.after = after;
    this.next = first;
  }

  /** The earlier write that it waits for; null if it does not. */
  WriteRequest awaitedWrite() {
    if (after != null && !after.isQueuedFor(first, end)) {
      after = null;
    }
    return after;
  }
}
