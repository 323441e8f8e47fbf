package org.salus.core.log;

import java.util.Comparator;

/**
 * What a volume's user relies on in a region (paper §2.1): the log has the PUT {@code seq}, which
 * was acknowledged.
 *
 * @param mountEpoch the mount of the session that says so
 * @param since the mount under which that was acknowledged, at most {@code mountEpoch}; 0 if the
 *     user relies on nothing that the session knows
 * @param seq the region's last PUT that was acknowledged, or that the mount {@code since} began
 *     with
 */
public record Relied(long mountEpoch, long since, long seq) {
  private static final Comparator<Relied> LATER =
      Comparator.comparingLong(Relied::mountEpoch)
          .thenComparingLong(Relied::since)
          .thenComparingLong(Relied::seq);

  /** Whether this was said later: a newer mount counts, and then whoever relies on more. */
  public boolean isNewer(Relied than) {
    return than == null || LATER.compare(this, than) > 0;
  }

  /** Whether a log that was read to its end has it. */
  public boolean isIn(LogState log) {
    boolean isMounted = log.mountEpoch() > since || log.mountEpoch() == since && log.resolved();
    return since == 0 || isMounted && log.lastSeq() >= seq;
  }
}
