package org.salus.core.member;

import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;

/**
 * Notices that nothing comes through a neighbour in the chain: then something may be lost, and is
 * sent again, ever more rarely, for on a link that is only slow it would be in the way of what is
 * on it. Or the neighbour refuses, though it runs, or forges. The member before the last complains
 * first, of the last; one that is further up knows then, when nothing changed, that the fault is
 * its own neighbour's. What stops at M0 itself only the session can see. What the neighbour has
 * signed though no right member would is no matter of patience.
 */
final class ChainBlame {
  /** Periods of {@code resendAfterNanos}. */
  private static final int PATIENCE = 8;

  private static final int SOON = 4;

  /**
   * Periods in which something useless came, since something was of use: now and then bytes change
   * on their way.
   */
  private static final int USELESS = 4;

  private final RegionContext c;

  /** The oldest record without a certificate. */
  private Position oldest;

  private int waited;
  private boolean useless;
  private int uselessPeriods;

  ChainBlame(RegionContext c) {
    this.c = c;
  }

  /** What came from the member before could not be used, for whatever reason. */
  void useless() {
    useless = true;
  }

  /** A record could be used. */
  void useful() {
    uselessPeriods = 0;
  }

  /** The member before has signed what no session has. */
  void forged(LogRecord r) {
    c.complain(c.place - 1, "has signed a wrong " + r.type());
  }

  /**
   * Whether what has no certificate yet is to be sent again: after each of the first periods
   * without any, then after 8, 16, ...
   */
  boolean isTimeToRepeat() {
    return waited > 0 && (waited <= SOON || Integer.bitCount(waited) == 1);
  }

  /** A period is over. */
  void onPeriod() {
    Position now = c.tail.uncertified(1).stream().map(e -> e.record.at()).findFirst().orElse(null);
    waited = now != null && now.equals(oldest) ? waited + 1 : 0;
    oldest = now;
    uselessPeriods += useless ? 1 : 0;
    useless = false;
    if (!c.isLast() && waited >= PATIENCE * (c.members.size() - 1 - c.place)) {
      c.complain(c.place + 1, "has not had " + oldest + " certified for " + waited + " periods");
    } else if (uselessPeriods >= USELESS) {
      c.complain(
          c.place - 1,
          "has forwarded nothing but what cannot be used, in " + uselessPeriods + " periods");
    }
  }
}
