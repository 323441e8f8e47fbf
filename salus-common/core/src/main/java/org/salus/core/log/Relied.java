package org.salus.core.log;

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
  /** Whether the session of a newer mount says this, or one that has mounted meanwhile. */
  public boolean isNewer(Relied than) {
    return than == null
        || mountEpoch > than.mountEpoch
        || mountEpoch == than.mountEpoch && since > than.since;
  }

  /** Whether a log that was read to its end has it. */
  public boolean isIn(LogState log) {
    boolean isMounted = log.mountEpoch() > since || log.mountEpoch() == since && log.resolved();
    return since == 0 || isMounted && log.lastSeq() >= seq;
  }
}
