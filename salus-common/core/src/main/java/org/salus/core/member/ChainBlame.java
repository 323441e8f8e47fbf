package org.salus.core.member;

import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;

/**
 * Notices that nothing comes through a neighbour in the chain. Messages may be lost, so they are
 * sent again, but ever more rarely: on a link that is only slow, repetitions delay the rest. Or the
 * neighbour runs but refuses, or forges. The member before the last complains first, of the last
 * one. If that changes nothing, a member further up knows that its own neighbour is at fault. Only
 * the session can see what stops at M0 itself. A neighbour that has signed what no right member
 * would is reported at once.
 */
final class ChainBlame {
  /**
   * Periods of {@code resendAfterNanos} without a certificate before a complaint, times the number
   * of members after this one.
   */
  private static final int PATIENCE = 8;

  private static final int SOON = 4;

  /**
   * Periods with useless records, since the last useful one, before a complaint. Now and then bytes
   * change in transit.
   */
  private static final int USELESS = 4;

  private final RegionContext c;

  /** The position of the oldest record without a certificate, or null. */
  private Position oldest;

  private int waited;
  private boolean useless;
  private int uselessPeriods;

  ChainBlame(RegionContext c) {
    this.c = c;
  }

  /** Notes that a record from the member before could not be used, for whatever reason. */
  void useless() {
    useless = true;
  }

  /** Notes that a record from the member before could be used. */
  void useful() {
    uselessPeriods = 0;
  }

  /**
   * Complains that the member before has signed a record that no session asked for, or a PUT in the
   * wrong place.
   */
  void forged(LogRecord r) {
    c.complain(c.place - 1, "has signed a wrong " + r.type());
  }

  /**
   * Whether to send again what has no certificate yet: after each of the first four periods, then
   * after 8, 16 and so on.
   */
  boolean isTimeToRepeat() {
    return waited > 0 && (waited <= SOON || Integer.bitCount(waited) == 1);
  }

  /** Ends a period: complains if a neighbour's time is over. */
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
