package org.salus.core.session;

import java.util.TreeMap;
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

  /**
   * The regions whose M0 has not said that there is room, each with the number of questions since
   * its last answer.
   */
  private final TreeMap<Integer, Integer> doubted = new TreeMap<>();

  /**
   * Whether a change was refused since the last complaint; if not, nobody waits for the answers.
   */
  private boolean wanted;

  private long asked;
  private long askedAt;

  RoomInquiry(SessionContext c) {
    this.c = c;
  }

  /** Begins to doubt that there is room. */
  void doubt() {
    for (int r = 0; r < c.epochs.length; r++) {
      doubted.put(r, 0);
    }
  }

  /** Whether a change may be sent. */
  boolean allows() {
    boolean allowed = c.rules.mayChange(doubted.keySet());
    wanted |= !allowed;
    return allowed;
  }

  /** A region has another M0, which was not asked yet. */
  void replaced(int region) {
    doubted.replace(region, 0);
  }

  void onTick(long now) {
    if (doubted.isEmpty() || asked != 0 && now - askedAt < c.config.resendAfterNanos()) {
      return;
    }
    complain();
    asked = c.nextId();
    askedAt = now;
    doubted.replaceAll((r, inVain) -> inVain + 1);
    doubted.keySet().forEach(r -> c.send(r, 0, new StatusQuery(asked), null));
  }

  /** Complains of each M0 that has long not answered, if somebody waits for it. */
  private void complain() {
    if (!wanted) {
      return;
    }
    doubted.replaceAll(
        (r, inVain) -> {
          if (inVain < SessionBlame.PATIENCE) {
            return inVain;
          }
          wanted = false;
          c.out(new Stalled(r, c.epochs[r], 0, "does not say whether there is room"));
          return 0;
        });
  }

  void onStatus(int region, StatusReply reply) {
    if (reply.id() == asked && reply.lane() == 0 && reply.epoch() == c.epochs[region]) {
      if (reply.full()) {
        doubted.replace(region, 0);
      } else {
        doubted.remove(region);
      }
    }
  }
}
