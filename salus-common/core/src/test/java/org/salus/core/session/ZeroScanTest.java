package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.session.ScriptedMembers.ZERO;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PageReply;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.tree.Hashes;

/** Questions where zeros are, on a volume whose tree no member shows. */
class ZeroScanTest {
  private static final long TIMEOUT = SessionConfig.defaults().requestTimeoutNanos();

  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  ZeroScanTest() {
    byte[] root = new byte[ZERO.length];
    Arrays.fill(root, (byte) 5);
    byte[] volumeRoot = new Hashes().volume(List.of(root));
    session.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      members.from(
          lane,
          new MountReply(1, lane, 3, new LogSummary(new Durable(1, volumeRoot), 1, List.of())));
    }
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, new ResolveReply(1, lane, 3, 1, root));
    }
    assertThat(session.mounted()).isTrue();
  }

  @Test
  void aQuestionThatNobodyAnswersFailsAloneWhenItsTimeIsOver() {
    assertThat(session.zeroMap(1, 0, 256, 0)).isNotEmpty();
    session.zeroMap(2, 0, 1, 1);
    assertThat(session.onTick(TIMEOUT - 1)).noneMatch(e -> e instanceof SessionEffect.Failed);
    assertThat(session.onTick(TIMEOUT))
        .contains(new SessionEffect.Failed(1, SessionError.TIMED_OUT))
        .doesNotContain(new SessionEffect.Failed(2, SessionError.TIMED_OUT));
    assertThat(session.onTick(TIMEOUT + 1))
        .contains(new SessionEffect.Failed(2, SessionError.TIMED_OUT))
        .noneMatch(e -> e instanceof SessionEffect.Ended);
    assertThat(session.close(TIMEOUT + 1)).contains(new SessionEffect.Ended(SessionError.CLOSED));
  }

  @Test
  void aQuestionAboutPagesThatNoMemberHasFailsWithIntegrity() {
    askForWhatNobodyHas();
    assertThat(session.onTick(TIMEOUT))
        .contains(new SessionEffect.Failed(1, SessionError.INTEGRITY))
        .noneMatch(e -> e instanceof SessionEffect.Ended);
  }

  @Test
  void questionsAboutPagesThatNoMemberHasHoldUpNoOthers() {
    askForWhatNobodyHas();
    for (int id = 2; id <= 8; id++) {
      assertThat(session.zeroMap(id, 0, 1, 0)).noneMatch(e -> e instanceof SessionEffect.Failed);
    }
    assertThat(session.zeroMap(9, 0, 1, 0))
        .contains(new SessionEffect.Failed(1, SessionError.INTEGRITY));
  }

  /** Asks as number 1, and lets no member have the page. */
  private void askForWhatNobodyHas() {
    List<SessionEffect> effects = session.zeroMap(1, 0, 1, 0);
    for (int i = 0; i < 3; i++) {
      Send asked =
          (Send) effects.stream().filter(ZeroScanTest::isForPage).findFirst().orElseThrow();
      PageRequest page = (PageRequest) asked.message();
      effects =
          members.from(
              ScriptedMembers.lane(asked),
              new PageReply(page.id(), ScriptedMembers.lane(asked), new byte[64]));
    }
  }

  private static boolean isForPage(SessionEffect e) {
    return e instanceof Send s && s.message() instanceof PageRequest;
  }
}
