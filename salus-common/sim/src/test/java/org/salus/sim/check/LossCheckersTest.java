package org.salus.sim.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.sim.check.CheckersTest.NEW;
import static org.salus.sim.check.CheckersTest.OLD;
import static org.salus.sim.check.CheckersTest.batch;
import static org.salus.sim.check.CheckersTest.block;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord.Loss;

/** {@link CheckersTest} for the checkers of losses. */
class LossCheckersTest {
  @Test
  void lossesAreNotedFailsWhenTheLogsForgetOrTheHandleEndsBefore() {
    LossesAreNoted c = new LossesAreNoted(new Prefix(false));
    c.wentBack(1, 40, 50);
    c.noted(1, 40, 45);
    assertThatThrownBy(() -> c.resolving(1, 40))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P11");
    assertThatThrownBy(() -> c.endedForLoss(1))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P11");
    assertThatCode(() -> c.sessionEnded(1, SessionError.FENCED)).doesNotThrowAnyException();
    assertThatCode(() -> c.resolving(2, 40)).doesNotThrowAnyException();
    assertThatCode(() -> c.resolving(1, 50)).as("nothing is lost").doesNotThrowAnyException();
    c.noted(1, 40, 50);
    assertThatCode(() -> c.resolving(1, 40)).doesNotThrowAnyException();
    assertThatCode(() -> c.endedForLoss(1)).doesNotThrowAnyException();
  }

  @Test
  void lossesAreNotedFailsWhenASessionEndsForWhatItHasLostAndNotesNothing() {
    LossesAreNoted c = new LossesAreNoted(new Prefix(false));
    c.wentBack(1, 40, 50);
    c.noted(1, 40, 50);
    c.mounted(1, 40);
    assertThatThrownBy(() -> c.endedForLoss(1))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P11 losses are noted: mount 1 ends for a loss of which it says");
    c.wentBack(1, 45, 60);
    assertThatThrownBy(() -> c.endedForLoss(1))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("not noted: from 60 to 45");
    c.noted(1, 45, 60);
    assertThatCode(() -> c.endedForLoss(1)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.endedForLoss(2))
        .as("never mounted")
        .isInstanceOf(Violation.class)
        .hasMessageContaining("mount 2 ends for a loss of which it says");
  }

  @Test
  void lossesAreNotedFailsWhenASessionSaysThatLessWasAcknowledged() {
    Prefix prefix = new Prefix(false);
    LossesAreNoted c = new LossesAreNoted(prefix);
    prefix.mounted(1, 0);
    c.mounted(1, 0);
    prefix.sent(0, batch(1, 1), block(OLD));
    prefix.sent(0, batch(1, 2), block(NEW));
    prefix.writeDone(1, 1, block(NEW), false);
    for (long acked : new long[] {0, 1}) {
      assertThatThrownBy(() -> c.wentBack(1, 0, acked))
          .isInstanceOf(Violation.class)
          .hasMessageContaining("wrongly what is lost, of 2");
    }
    assertThatThrownBy(() -> c.wentBack(1, 2, 2))
        .as("nothing")
        .isInstanceOf(Violation.class)
        .hasMessageContaining("wrongly");
    assertThatCode(() -> c.wentBack(1, 0, 2)).doesNotThrowAnyException();
  }

  @Test
  void lossesAreNotedFailsWhenTheNextMountShowsThatASessionWasWrong() {
    for (long begin : new long[] {39, 40, 49, 50}) {
      LossesAreNoted c = new LossesAreNoted(new Prefix(false));
      c.mounted(1, 0);
      c.wentBack(1, 40, 50);
      if (begin < 40 || begin >= 50) {
        assertThatThrownBy(() -> c.mounted(2, begin))
            .isInstanceOf(Violation.class)
            .hasMessageContaining("as mount 2 shows at " + begin);
        c.powerCut();
      }
      assertThatCode(() -> c.mounted(3, begin)).doesNotThrowAnyException();
    }
  }

  private static Loss loss(long mount, long prefix, long acked, boolean served) {
    return new Loss(0, "", mount, prefix, acked, served, 0);
  }

  private static ConfirmedRecord whole(long mount) {
    return new ConfirmedRecord(1, mount, 0, 0, 0, mount);
  }

  private static void isViolation(ThrowingCallable what, String message) {
    assertThatThrownBy(what)
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P12 losses are told: " + message);
  }

  @Test
  void lossesAreToldFailsWhenALossGoesInTheFindingOfAnotherOne() {
    LossesAreTold c = new LossesAreTold();
    Loss session = loss(3, 40, 50, true);
    c.confirmedWhole(whole(3), whole(3));
    Loss next = loss(4, 43, 50, false);
    c.lossNoted(session, List.of(session));
    c.lossNoted(loss(4, 43, 48, false), List.of(next));
    c.confirmedWhole(whole(4), whole(4));
    Loss later = loss(5, 45, 60, false);
    c.lossNoted(later, List.of(next, later));
    isViolation(() -> c.lossNoted(later, List.of(later)), "nothing tells of");
    isViolation(() -> c.lossNoted(later, List.of(later, loss(4, 43, 49, false))), "nothing");
  }

  @Test
  void lossesAreToldFailsWhenWhatWasAcceptedComesBack() {
    LossesAreTold c = new LossesAreTold();
    Loss session = loss(3, 40, 50, true);
    c.lossNoted(session, List.of(session));
    c.lossesAccepted(List.of(session), List.of());
    c.lossNoted(session, List.of());
    isViolation(() -> c.lossNoted(session, List.of(session)), "what was accepted comes back");
  }

  /** ZooKeeper did not know that mount 4 had served when it took the note of mount 5. */
  @Test
  void whoAcceptsALossHasNotSeenThatOfALaterMount() {
    for (boolean hasServed : new boolean[] {true, false}) {
      LossesAreTold c = new LossesAreTold();
      Loss session = loss(3, 16, 64, true);
      c.confirmedWhole(whole(3), whole(3));
      c.lossNoted(session, List.of(session));
      if (hasServed) {
        c.mounted(4, 48);
      }
      Loss later = loss(5, 48, 51, false);
      c.lossNoted(later, List.of(session, later));
      ThrowingCallable accept = () -> c.lossesAccepted(List.of(session), List.of(later));
      if (hasServed) {
        assertThatCode(accept).doesNotThrowAnyException();
      } else {
        isViolation(accept, "what was accepted comes back");
      }
    }
  }

  @Test
  void lossesAreToldFailsWhenSomethingIsAcceptedThatNobodyHasSeen() {
    LossesAreTold c = new LossesAreTold();
    Loss session = loss(3, 40, 50, true);
    c.lossNoted(session, List.of(session));
    Loss other = loss(5, 45, 60, true);
    c.lossNoted(other, List.of(session, other));
    c.lossesAccepted(List.of(session), List.of(other));
    isViolation(() -> c.lossesAccepted(List.of(session), List.of()), "nothing tells of");
  }

  @Test
  void lossesAreToldFailsWhenANoteIsGivenUp() {
    LossesAreTold c = new LossesAreTold();
    c.mounted(1, 0);
    isViolation(c::over, "it is not noted that mount 1 has served");
    c.confirmedWhole(whole(1), whole(1));
    c.over();
    c.wentBack(1, 40, 50);
    isViolation(c::over, "mounts [1] have lost changes");
    c.gone(1);
    assertThatCode(c::over).doesNotThrowAnyException();
    c.wentBack(2, 40, 50);
    isViolation(c::over, "what mounts [2] have found lost is not noted");
    c.lossNoted(loss(2, 40, 50, false), List.of(loss(2, 40, 50, false)));
    assertThatCode(c::over).doesNotThrowAnyException();
  }

  @Test
  void lossesAreToldFailsWhenTheLastMountIsNotTheNewest() {
    LossesAreTold c = new LossesAreTold();
    c.confirmedWhole(whole(4), whole(4));
    c.confirmedWhole(whole(3), whole(4));
    isViolation(() -> c.confirmedWhole(whole(3), whole(3)), "mount 4 has found the volume whole");
  }
}
