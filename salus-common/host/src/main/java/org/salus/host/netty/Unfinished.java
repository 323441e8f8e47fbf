package org.salus.host.netty;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes of large frames that have begun to arrive and are not whole yet, with a limit for all
 * connections that share it. The one whose frame takes longest has to go, so whoever hoards takes
 * nothing from the others. Thread-safe.
 */
final class Unfinished {
  private final long most;

  /** What each reader holds, the one whose frame began first at the head. */
  private final Map<FrameReader, Long> held = new LinkedHashMap<>();

  private long bytes;

  Unfinished(long most) {
    this.most = most;
  }

  /**
   * Takes bytes for a reader until {@link #give}. When there are too many, the reader whose frame
   * began first is told to go.
   *
   * @return false if that is the one that asks
   */
  boolean take(FrameReader reader, long more) {
    FrameReader oldest;
    synchronized (this) {
      bytes += more;
      held.merge(reader, more, Long::sum);
      if (bytes <= most) {
        return true;
      }
      oldest = held.keySet().iterator().next();
      give(oldest);
    }
    if (oldest == reader) {
      return false;
    }
    oldest.evict();
    return true;
  }

  /** Gives back what a reader has taken. */
  synchronized void give(FrameReader reader) {
    Long taken = held.remove(reader);
    bytes -= taken == null ? 0 : taken;
  }
}
