package org.salus.core.session;

import java.util.TreeSet;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;

/**
 * Asks every region's M0 whether there is room, after an earlier session of the same user has ended
 * for want of it. Until all of them say so, changes fail, and nothing of them is sent. A change
 * that M0 refuses ends the session, and each new mount takes room in the logs. So a user who goes
 * on writing would use up what is kept free for mounts, and then nobody could read any more.
 */
final class RoomInquiry {
  private final SessionContext c;

  /** The regions whose M0 has not said that there is room. */
  private final TreeSet<Integer> doubted = new TreeSet<>();

  private long asked;
  private long askedAt;

  /** The number of questions since a region has answered the last time. */
  private int inVain;

  RoomInquiry(SessionContext c) {
    this.c = c;
  }

  /** Begins to doubt that there is room. */
  void doubt() {
    for (int r = 0; r < c.epochs.length; r++) {
      doubted.add(r);
    }
  }

  /** Whether changes may be sent. */
  boolean allows() {
    return c.rules.mayChange(doubted);
  }

  void onTick(long now) {
    if (doubted.isEmpty() || asked != 0 && now - askedAt < c.config.resendAfterNanos()) {
      return;
    }
    if (++inVain > SessionBlame.PATIENCE) {
      inVain = 0;
      doubted.forEach(
          r -> c.out(new Stalled(r, c.epochs[r], 0, "does not say whether there is room")));
    }
    asked = c.nextId();
    askedAt = now;
    doubted.forEach(r -> c.send(r, 0, new StatusQuery(asked), null));
  }

  void onStatus(int region, StatusReply reply) {
    if (reply.id() == asked && reply.lane() == 0 && reply.epoch() == c.epochs[region]) {
      inVain = 0;
      if (!reply.full()) {
        doubted.remove(region);
      }
    }
  }
}
