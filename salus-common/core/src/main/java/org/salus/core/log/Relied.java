package org.salus.core.log;

import java.util.Comparator;

/**
 * What a volume's user relies on in a region (paper §2.1): the log has the PUT {@code seq}, which
 * was acknowledged, and the mount of the session.
 *
 * @param mountEpoch the mount of the session that says so
 * @param logged the newest mount that the log is known to have: {@code mountEpoch} once every
 *     member has answered to it, before that {@code since}
 * @param since the mount under which that was acknowledged, at most {@code mountEpoch}; 0 if the
 *     user relies on nothing that the session knows
 * @param seq the region's last PUT that was acknowledged, or that the mount {@code since} began
 *     with
 */
public record Relied(long mountEpoch, long logged, long since, long seq) {
  private static final Comparator<Relied> LATER =
      Comparator.comparingLong(Relied::mountEpoch)
          .thenComparingLong(Relied::logged)
          .thenComparingLong(Relied::since)
          .thenComparingLong(Relied::seq);

  /** Whether this was said later: a newer mount counts, and then whoever relies on more. */
  public boolean isNewer(Relied than) {
    return than == null || LATER.compare(this, than) > 0;
  }

  /** Whether a log that was read to its end has it. */
  public boolean isIn(LogState log) {
    boolean isMounted = log.mountEpoch() > since || log.mountEpoch() == since && log.resolved();
    return isLogged(log) && (since == 0 || isMounted && log.lastSeq() >= seq);
  }

  /** Whether such a log has the mount that it is known to have. */
  public boolean isLogged(LogState log) {
    return log.mountEpoch() >= logged;
  }
}
