package org.salus.core.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.salus.core.message.Message;
import org.salus.core.message.OpeningPhase;

/**
 * Notices, while an epoch opens, that a member is silent, or does not do what takes no time.
 * Reading, copying and replaying a log may take long: who says that it is at it is believed, until
 * the master loses its patience. As with {@link ChainBlame} a complaint is no proof, and who is
 * nearer to the one that is to blame complains first.
 */
final class OpeningBlame {
  /**
   * Periods of {@code resendAfterNanos} without a word; a server may be slow to learn that it is a
   * member.
   */
  private static final int SILENCE = 20;

  private static final int PATIENCE = 8;

  /** Who has said something in so many periods is heard. */
  private static final int LATELY = 4;

  /** Whose turn it is, as far as is seen from here, and how many periods that may take. */
  private record Turn(int place, int periods) {
    static final Turn NOBODYS = new Turn(-1, 0);
  }

  private final RegionContext c;

  /** How far each member has said that it has come. */
  private final List<OpeningPhase> told;

  /** For how many periods each has said nothing. */
  private final int[] silent;

  /** Whether each has said last that it hears this member. */
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

  /** Another member tells how far it has come. */
  void onTold(Message.Opening m) {
    told.set(m.lane(), m.phase());
    silent[m.lane()] = 0;
    hears[m.lane()] = (m.heard() & 1 << c.place) != 0;
  }

  /** Whom this member hears, itself included: a bit for each. */
  int heard() {
    int heard = 1 << c.place;
    for (int i = 0; i < silent.length; i++) {
      heard |= silent[i] < LATELY ? 1 << i : 0;
    }
    return heard;
  }

  /**
   * A period is over.
   *
   * @param own phase
   * @param signed whether this member has signed where the old log ends
   */
  void onPeriod(OpeningPhase own, boolean signed) {
    told.set(c.place, own);
    boolean heard = true;
    for (int i = 0; i < silent.length; i++) {
      silent[i] += i == c.place ? 0 : 1;
      heard &= hears[i] || silent[i] >= LATELY;
    }
    if (heard) { // else what is missing may not have come from here
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
      return new Turn(0, PATIENCE); // the others replay, and this member has not been told what
    }
    return own == OpeningPhase.REPLAYED && have(OpeningPhase.REPLAYED) && c.tail.isEmpty()
        ? before()
        : Turn.NOBODYS; // the manifest
  }

  /** Of what comes down the chain. */
  private Turn before() {
    return new Turn(c.place - 1, PATIENCE * c.place);
  }

  private boolean have(OpeningPhase phase) {
    return told.stream().allMatch(p -> p.compareTo(phase) >= 0);
  }
}
