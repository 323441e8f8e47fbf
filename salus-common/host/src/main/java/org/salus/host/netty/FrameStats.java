package org.salus.host.netty;

import java.util.concurrent.atomic.LongAdder;

/** Counters over all connections of one {@link Loops}. They only grow. Thread-safe. */
public final class FrameStats {
  final LongAdder sent = new LongAdder();
  final LongAdder received = new LongAdder();
  final LongAdder damaged = new LongAdder();
  final LongAdder wrongLength = new LongAdder();
  final LongAdder silent = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder refused = new LongAdder();

  /** Frames that the operating system took whole, without heartbeats. */
  public long sent() {
    return sent.sum();
  }

  /** Frames delivered to handlers. */
  public long received() {
    return received.sum();
  }

  /** Frames with a wrong checksum. Each closed its connection. */
  public long damaged() {
    return damaged.sum();
  }

  /** Frames with impossible lengths. Each closed its connection. */
  public long wrongLength() {
    return wrongLength.sum();
  }

  /** Connections closed because their peer was silent, or read nothing, for too long. */
  public long silent() {
    return silent.sum();
  }

  /** Messages that were dropped because their node could not be reached or its queue was full. */
  public long dropped() {
    return dropped.sum();
  }

  /** Connections closed at once because their address had too many. */
  public long refused() {
    return refused.sum();
  }
}
