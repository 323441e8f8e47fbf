package org.salus.core.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.salus.core.message.Message;
import org.salus.core.message.OpeningPhase;

/**
 * Notices, while an epoch opens, that a member is silent or does not do a step that takes no time.
 * Reading, copying and replaying a log may take long. A member that says it is busy with that is
 * believed, until the master's time is over. As with {@link ChainBlame}, a complaint is no proof,
 * and the member nearest to the blamed one complains first.
 */
final class OpeningBlame {
  /**
   * Periods of {@code resendAfterNanos} without a message before a complaint. A server may be slow
   * to learn that it is a member.
   */
  private static final int SILENCE = 20;

  private static final int PATIENCE = 8;

  /** A member counts as heard if its last message is fewer than this many periods old. */
  private static final int LATELY = 4;

  /**
   * The place of the member whose turn it seems to be (-1 for nobody), and how many periods it may
   * take.
   */
  private record Turn(int place, int periods) {
    static final Turn NOBODYS = new Turn(-1, 0);
  }

  private final RegionContext c;

  /** The phase that each member last told, by place. */
  private final List<OpeningPhase> told;

  /** The number of periods for which each member has been silent, by place. */
  private final int[] silent;

  /** Whether each member's last message said that it hears this member, by place. */
  private final boolean[] hears;

  private Turn turn = Turn.NOBODYS;
  private int waited;

  OpeningBlame(RegionContext c) {
    this.c = c;
    this.told = new ArrayList<>(Collections.nCopies(c.members.size(), OpeningPhase.SCANNING));
    this.silent = new int[c.members.size()];
    Arrays.fill(silent, LATELY); // nobody is heard yet
    this.hears = new boolean[c.members.size()];
    Arrays.fill(hears, true);
  }

  /** Takes another member's phase. */
  void onTold(Message.Opening m) {
    told.set(m.lane(), m.phase());
    silent[m.lane()] = 0;
    hears[m.lane()] = (m.heard() & 1 << c.place) != 0;
  }

  /** Another member has done its part, and only says so from now on. */
  void onWrote(int place) {
    told.set(place, OpeningPhase.SERVING);
    silent[place] = 0;
  }

  /** The members that this one hears, itself included: bit {@code i} is for place {@code i}. */
  int heard() {
    int heard = 1 << c.place;
    for (int i = 0; i < silent.length; i++) {
      heard |= silent[i] < LATELY ? 1 << i : 0;
    }
    return heard;
  }

  /**
   * Ends a period: counts silences and complains if a member's time is over.
   *
   * @param own this member's own phase
   * @param signed whether this member has signed where the old log ends
   */
  void onPeriod(OpeningPhase own, boolean signed) {
    told.set(c.place, own);
    boolean heard = true;
    for (int i = 0; i < silent.length; i++) {
      silent[i] += i == c.place ? 0 : 1;
      heard &= hears[i] || silent[i] >= LATELY;
    }
    if (heard) { // else this member's own messages may be what is missing
      judge(own, signed);
    }
  }

  private void judge(OpeningPhase own, boolean signed) {
    for (int i = 0; i < silent.length; i++) {
      if (i != c.place && silent[i] >= SILENCE) {
        c.complain(
            i, "has said nothing for " + silent[i] + " periods while epoch " + c.epoch + " opens");
      }
    }
    Turn now = turn(own, signed);
    waited = now.equals(turn) ? waited + 1 : 0;
    turn = now;
    if (turn.place >= 0 && waited >= turn.periods) {
      c.complain(
          turn.place,
          "does not do its part in opening epoch " + c.epoch + " for " + waited + " periods");
    }
  }

  private Turn turn(OpeningPhase own, boolean signed) {
    if (told.get(0) == OpeningPhase.AGREEING && have(OpeningPhase.AGREEING)) {
      return !signed
          ? before()
          : c.isLast()
              ? new Turn(0, PATIENCE * c.members.size())
              : new Turn(c.place + 1, PATIENCE * (c.members.size() - 1 - c.place));
    }
    if (own == OpeningPhase.AGREEING && told.get(0).compareTo(OpeningPhase.REPLAYING) >= 0) {
      return new Turn(0, PATIENCE); // others replay, but this member has not heard the agreement
    }
    return own == OpeningPhase.REPLAYED && have(OpeningPhase.REPLAYED) && c.tail.isEmpty()
        ? before()
        : Turn.NOBODYS; // the manifest is due
  }

  /** The turn of the member before this one in the chain. */
  private Turn before() {
    return new Turn(c.place - 1, PATIENCE * c.place);
  }

  private boolean have(OpeningPhase phase) {
    return told.stream().allMatch(p -> p.compareTo(phase) >= 0);
  }
}
