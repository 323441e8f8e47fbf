package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.session.ScriptedMembers.refused;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.Refused;

/** A session whose members have lost what it acknowledged: it ends, and its note comes before. */
class SessionLossTest {
  private static final SessionEffect.WentBack LOSS = new SessionEffect.WentBack(0, 1, true);
  private static final SessionEffect.Ended ENDED = new SessionEffect.Ended(SessionError.INTEGRITY);
  private static final long LATE = Refusals.CLOSING_NANOS;

  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  /** All members say that their logs lack what was committed; one request is under way. */
  private List<SessionEffect> lose(long... ends) {
    List<SessionEffect> effects = new ArrayList<>();
    for (int lane = 0; lane < 3; lane++) {
      effects.addAll(members.from(lane, refused(lane, Refusal.LOST, ends[lane], new byte[0])));
    }
    return effects;
  }

  @BeforeEach
  void mountAndWrite() {
    members.mountAndWrite();
    members.write(2);
  }

  @Test
  void requestsFailAtOnceAndTheEndWaitsForTheNote() {
    assertThat(lose(0, 0, 0))
        .contains(LOSS, new SessionEffect.Failed(2, SessionError.INTEGRITY, true))
        .doesNotContain(ENDED)
        .noneMatch(e -> e instanceof SessionEffect.Report r && r.wrong());
    assertThat(members.write(3))
        .containsExactly(new SessionEffect.Failed(3, SessionError.INTEGRITY));
    assertThat(session.onTick(Refusals.NOTE_NANOS - 1)).isEmpty();
    assertThat(session.onRrs(0, 2, 3, 0)).as("nobody is asked any more").isEmpty();
    assertThat(session.noted(new SessionEffect.WentBack(0, 2, true), 0)).as("another").isEmpty();
    assertThat(session.noted(LOSS, 0)).containsExactly(ENDED);
    assertThat(session.noted(LOSS, 0)).as("a word that comes again").isEmpty();
    assertThat(session.acknowledged()).isEqualTo(1);
  }

  @Test
  void theLossOfTheLeaseDoesNotKeepItFromTheNote() {
    lose(0, 0, 0);
    for (SessionError why :
        List.of(SessionError.FENCED, SessionError.NO_SPACE, SessionError.TIMED_OUT)) {
      assertThat(session.end(why, 0)).isEmpty();
    }
    assertThat(session.noted(LOSS, 0)).containsExactly(ENDED);
  }

  @Test
  void whoClosesItWaitsForTheNoteButNotForLong() {
    lose(0, 0, 0);
    assertThat(session.close(0)).isEmpty();
    assertThat(session.onTick(LATE - 1)).isEmpty();
    assertThat(session.onTick(LATE)).containsExactly(new SessionEffect.Ended(SessionError.CLOSED));
    assertThat(session.noted(LOSS, LATE)).as("too late").isEmpty();
  }

  @Test
  void aNoteThatFailsForLongDoesNotKeepTheVolumeFromOthers() {
    lose(0, 0, 0);
    assertThat(session.onTick(Refusals.NOTE_NANOS)).containsExactly(ENDED);
    assertThat(session.noted(LOSS, Refusals.NOTE_NANOS)).as("too late").isEmpty();
  }

  @Test
  void whoEndsItDoesNotWait() {
    lose(0, 0, 0);
    assertThat(session.end(SessionError.CLOSED, 0))
        .containsExactly(new SessionEffect.Ended(SessionError.CLOSED));
  }

  /** Another region may have lost more than this one. */
  @Test
  void onlyWhatIsDurableIsSaidToBeThere() {
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, ScriptedMembers.commit(lane, 2));
    }
    assertThat(lose(1, 0, 1)).contains(new SessionEffect.WentBack(0, 2, true));
  }

  @Test
  void whatWasDurableIsNotThereIfTheLogsLackIt() {
    session.flush(3, 0);
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, ScriptedMembers.commit(lane, 3));
    }
    assertThat(session.durable()).isEqualTo(3);
    assertThat(lose(0, 1, 0)).contains(new SessionEffect.WentBack(1, 3, true));
  }

  /** Two are wrong: one in the lane 0 and then in the lane 1, another one in the lane 2. */
  @Test
  void wordsOfMembersOfDifferentEpochsDoNotAddUp() {
    List<SessionEffect> effects = new ArrayList<>();
    effects.addAll(members.from(0, lost(1, 0)));
    effects.addAll(members.from(2, lost(1, 2)));
    effects.addAll(session.onOpening(0, 2, 2, 0));
    effects.addAll(members.from(1, lost(2, 1)));
    effects.addAll(session.onRrs(0, 2, 2, 0));
    effects.addAll(members.from(2, lost(2, 2)));
    effects.addAll(members.from(0, lost(1, 0)));
    assertThat(effects)
        .noneMatch(e -> e instanceof SessionEffect.WentBack || e instanceof SessionEffect.Failed);
    assertThat(members.from(0, lost(2, 0))).as("all of one epoch").contains(LOSS);
  }

  @Test
  void whoSpokeInAnEarlierEpochIsNotAccusedInTheNextOne() {
    members.from(0, lost(1, 0));
    session.onOpening(0, 2, 3, 0);
    session.onRrs(0, 2, 3, 0);
    assertThat(ScriptedMembers.reports(session.onTick(3 * ScriptedMembers.RESEND))).isEmpty();
    members.from(1, lost(2, 1));
    assertThat(ScriptedMembers.reports(session.onTick(6 * ScriptedMembers.RESEND)))
        .extracting(SessionEffect.Report::lane)
        .containsExactly(1);
  }

  /** Questions and answers may be lost, and all three members are right. */
  @Test
  void whoIsSilentIsAskedAgainBeforeTheOthersAreAccused() {
    members.from(0, lost(1, 0));
    assertThat(asked(members.from(1, lost(1, 1)))).containsExactly(2);
    assertThat(asked(members.from(1, lost(1, 1)))).as("no new word").isEmpty();
    for (int round = 1; round < Refusals.ROUNDS; round++) {
      List<SessionEffect> effects = session.onTick(round * ScriptedMembers.RESEND);
      assertThat(ScriptedMembers.reports(effects)).isEmpty();
      assertThat(asked(effects)).containsExactly(2);
      assertThat(asked(session.onTick(round * ScriptedMembers.RESEND + 1))).isEmpty();
    }
    assertThat(members.from(2, lost(1, 2)))
        .contains(LOSS)
        .noneMatch(e -> e instanceof SessionEffect.Report r && r.wrong());
  }

  @Test
  void whoIsAccusedHasNobodyElseAsked() {
    members.from(0, lost(1, 0));
    List<SessionEffect> effects = session.onTick(Refusals.ROUNDS * ScriptedMembers.RESEND);
    assertThat(ScriptedMembers.reports(effects))
        .extracting(SessionEffect.Report::lane)
        .containsExactly(0);
    assertThat(asked(session.onTick(10 * ScriptedMembers.RESEND))).isEmpty();
  }

  /** The lanes that are asked for a page. */
  private static List<Integer> asked(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof PageRequest)
        .map(e -> ScriptedMembers.lane((Send) e))
        .toList();
  }

  private static Refused lost(int epoch, int lane) {
    return new Refused(epoch, lane, 3, 1, Refusal.LOST, 0, new byte[0], new byte[0])
        .sign(new RegionId(9, 0), ScriptedMembers.SIGNER);
  }
}
