package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.ResolveRequest;

/** A mount that finds acknowledged changes lost: its note comes before everything else. */
class MountLossTest {
  private static final SessionEffect.WentBack LOSS = new SessionEffect.WentBack(0, 3, false);

  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  private List<SessionEffect> answers(int epoch) {
    List<SessionEffect> effects = new ArrayList<>();
    for (int lane = 0; lane < 3; lane++) {
      effects.addAll(
          members.from(
              lane, new MountReply(epoch, lane, 3, new LogSummary(Durable.NOTHING, 3, List.of()))));
    }
    return effects;
  }

  private static boolean resolves(List<SessionEffect> effects) {
    return effects.stream()
        .anyMatch(e -> e instanceof Send s && s.message() instanceof ResolveRequest);
  }

  @Test
  void theLogsForgetNothingThatIsNotNoted() {
    session.onRrs(0, 1, 3, 0);
    List<SessionEffect> effects = answers(1);
    assertThat(effects).contains(LOSS);
    assertThat(resolves(effects)).isFalse();
    assertThat(session.waitsFor(0)).contains("a note in ZooKeeper");
    assertThat(answers(1)).as("answers that come again").isEmpty();
    assertThat(resolves(session.onTick(ScriptedMembers.RESEND))).isFalse();
    assertThat(session.noted(new SessionEffect.WentBack(0, 2, false), 0))
        .as("another loss")
        .isEmpty();
    assertThat(resolves(session.noted(LOSS, 0))).isTrue();
    assertThat(session.waitsFor(0)).isEmpty();
    assertThat(session.noted(LOSS, 0)).as("a word that comes again").isEmpty();
  }

  @Test
  void theTimeOfTheNoteCountsAgainstNoMember() {
    session.onRrs(0, 1, 3, 0);
    answers(1);
    long now = 0;
    for (int i = 0; i < 3 * SessionBlame.PATIENCE; i++) {
      now += ScriptedMembers.RESEND;
      assertThat(session.onTick(now)).isEmpty();
      if (i == 2 * SessionBlame.PATIENCE - 2) {
        assertThat(resolves(session.noted(LOSS, now))).isTrue();
        assertThat(session.onTick(now + ScriptedMembers.RESEND))
            .noneMatch(e -> e instanceof Stalled);
        return;
      }
    }
  }

  @Test
  void theUserIsToldOfALossThatIsNoted() {
    session.continueAfter(3, 3, Acknowledgements.NONE);
    session.onRrs(0, 1, 3, 0);
    assertThat(answers(1)).contains(LOSS).noneMatch(e -> e instanceof SessionEffect.Ended);
    assertThat(session.noted(LOSS, 0)).contains(new SessionEffect.Ended(SessionError.INTEGRITY));
  }

  /** The logs know of less than the user was told. */
  @Test
  void aUserWhoAcceptsLossesIsToldOfAllThatWasAcknowledgedToHim() {
    session.continueAfter(0, LOSS.acked() + 2, Acknowledgements.NONE);
    session.onRrs(0, 1, 3, 0);
    SessionEffect.WentBack all = new SessionEffect.WentBack(LOSS.prefix(), LOSS.acked() + 2, false);
    assertThat(answers(1)).contains(all);
    assertThat(resolves(session.noted(all, 0))).isTrue();
  }

  @Test
  void membersOfANewEpochAreAskedAnew() {
    session.onRrs(0, 1, 3, 0);
    answers(1);
    session.onRrs(0, 2, 3, 0);
    assertThat(session.noted(LOSS, 0)).as("what the members before have said").isEmpty();
    assertThat(answers(2)).contains(LOSS);
    assertThat(resolves(session.noted(LOSS, 0))).isTrue();
  }
}
