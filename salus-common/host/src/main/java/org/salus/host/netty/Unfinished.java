package org.salus.host.netty;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of large frames that have begun to arrive and are not whole yet, with a limit for all
 * connections that share it. Thread-safe.
 */
final class Unfinished {
  private final long most;
  private final AtomicLong bytes = new AtomicLong();

  Unfinished(long most) {
    this.most = most;
  }

  /** Takes bytes until {@link #give}. Returns false, and takes none, if there are too many. */
  boolean take(long more) {
    if (bytes.addAndGet(more) > most) {
      give(more);
      return false;
    }
    return true;
  }

  void give(long taken) {
    bytes.addAndGet(-taken);
  }

  long bytes() {
    return bytes.get();
  }
}
