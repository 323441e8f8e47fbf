package org.salus.core.session;

import java.util.TreeMap;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;

/**
 * Asks every region's M0 whether there is room, after an earlier session of the same user has ended
 * for want of it. Until all of them say so, nothing of a change is sent. A change that M0 refuses
 * ends the session, and each new mount takes room in the logs. So a user who goes on writing would
 * use up what is kept free for mounts, and then nobody could read any more.
 *
 * <p>What M0 says ends no pause of {@link Room}: it may be wrong.
 */
final class RoomInquiry {
  /** What becomes of a change. */
  enum Verdict {
    /** It may be sent. */
    SEND,
    /** It waits: an M0 has not had the time to answer. */
    WAIT,
    /** It fails: there is no room, or nobody says that there is some. */
    FAIL
  }

  /** What is known of a region's M0 that has not said that there is room. */
  private static final class Doubt {
    /** The number of questions since its last answer or the last complaint. */
    int inVain;

    /** Whether it has said that there is no room, or has long said nothing. */
    boolean refuses;
  }

  private final SessionContext c;
  private final TreeMap<Integer, Doubt> doubted = new TreeMap<>();

  /**
   * Whether a change was held or failed since the last complaint; if not, nobody waits for the
   * answers.
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
      doubted.put(r, new Doubt());
    }
  }

  Verdict verdict(long now) {
    if (c.room.isPausing(now)) {
      return Verdict.FAIL;
    }
    if (c.rules.maySendChanges(doubted.keySet())) {
      return Verdict.SEND;
    }
    wanted = true;
    return doubted.values().stream().anyMatch(d -> d.refuses) ? Verdict.FAIL : Verdict.WAIT;
  }

  /** A region has another M0, which was not asked yet. */
  void replaced(int region, int epoch) {
    doubted.replace(region, new Doubt());
    if (c.room.isNewer(region, epoch)) {
      c.noteRoom(region, Room.Sign.NEW_EPOCH);
    }
  }

  void onTick(long now) {
    if (doubted.isEmpty() || asked != 0 && now - askedAt < c.config.resendAfterNanos()) {
      return;
    }
    doubted.forEach(this::lookForSilence);
    asked = c.nextId();
    askedAt = now;
    doubted.forEach(
        (r, d) -> {
          d.inVain++;
          c.send(r, 0, new StatusQuery(asked), null);
        });
  }

  /** Gives an M0 up that has long not answered. Complains of it if somebody waits for it. */
  private void lookForSilence(int region, Doubt d) {
    if (d.inVain < SessionBlame.PATIENCE) {
      return;
    }
    d.refuses = true;
    if (wanted) {
      wanted = false;
      d.inVain = 0;
      c.complain(region, 0, "does not say whether there is room");
    }
  }

  void onStatus(int region, StatusReply reply) {
    if (reply.id() != asked || reply.lane() != 0 || reply.epoch() != c.epochs[region]) {
      return;
    }
    if (!reply.full()) {
      doubted.remove(region);
      c.noteRoom(region, Room.Sign.WORD_OF_M0);
    } else if (doubted.containsKey(region)) {
      doubted.get(region).inVain = 0;
      doubted.get(region).refuses = true;
    }
  }
}
