package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;

/** What becomes of requests when their session ends, and what is known of a change that failed. */
class EndedSessionTest extends OverScriptedSessions {
  @Test
  void readsAreTriedAgainByTheNextSessionWhenTheLeaseIsLost() {
    queue.mounted(session);
    session.holds = true;
    session.leaseLost = true;
    ReadOperation alone = read(0, 1);
    loop.settle();
    ReadOperation one = read(5, 1);
    ReadOperation two = read(6, 1);
    loop.settle();
    ReadOperation gathered = read(9, 1);
    endSession(SessionError.FENCED, null);
    loop.settle();
    queue.mounted(next);
    assertThat(List.of(alone, one, two, gathered)).allMatch(op -> op.result.isDone());
    assertThat(next.takeAsked())
        .containsExactlyInAnyOrder("read 0+1", "read 5+1", "read 6+1", "read 9+1");
  }

  @Test
  void readsAreTriedAgainByTheNextSessionWhenThereWasNoRoom() {
    queue.mounted(session);
    session.holds = true;
    ReadOperation read = read(0, 1);
    loop.settle();
    endSession(SessionError.NO_SPACE, new SalusException.NoSpace("full"));
    assertThat(read.result).isNotDone();
    queue.mounted(next);
    assertThat(read.result).isCompleted();
  }

  @Test
  void changesThatASessionHadFailWhenTheLeaseWasLostAndOthersWaitForTheNext() {
    queue.mounted(session);
    session.holds = true;
    session.leaseLost = true;
    WriteOperation issued = write(0, BLOCK);
    WriteOperation waits = write(10, 20);
    endSession(SessionError.FENCED, null);
    assertThat(issued.result).isNotDone();
    assertThat(waits.result).isNotDone();
    queue.mounted(next);
    assertThat(reason(issued)).isInstanceOf(SalusException.Unavailable.class);
    assertThat(waits.result).isCompleted();
    assertThat(next.asked)
        .as("a change that failed does not take effect later")
        .containsExactly("read 0+1", "write 0+1");
  }

  @Test
  void changesFailAsFencedWhenAnotherWriterTookTheLease() {
    queue.mounted(session);
    session.holds = true;
    session.leaseLost = true;
    WriteOperation issued = write(0, BLOCK);
    endSession(SessionError.FENCED, null);
    queue.over(new SalusException.Fenced("taken"));
    assertThat(reason(issued)).isInstanceOf(SalusException.Fenced.class);
  }

  @Test
  void requestsOfASessionThatTimedOutFailWithIt() {
    queue.mounted(session);
    session.holds = true;
    WriteOperation sent = write(0, BLOCK);
    List<Operation<?>> others = List.of(read(7, 1), write(5 * BLOCK + 10, 20));
    loop.settle();
    endSession(SessionError.TIMED_OUT, WHY);
    assertThat(reason(sent)).isInstanceOf(SalusException.TimedOut.class);
    assertThat(others)
        .allSatisfy(op -> assertThat(failure(op)).isInstanceOf(SalusException.TimedOut.class));
    queue.mounted(next);
    assertThat(next.asked).isEmpty();
  }

  @Test
  void requestsWaitOverARemountAndKeepTheirOrder() {
    queue.mounted(session);
    endSession(SessionError.TIMED_OUT, WHY);
    List<Operation<?>> all =
        new ArrayList<>(
            List.of(write(0, BLOCK), read(0, 1), write(10, 20), write(2 * BLOCK, BLOCK)));
    assertThat(all).noneMatch(op -> op.result.isDone());
    queue.mounted(next);
    assertThat(all).allMatch(op -> op.result.isDone() && !op.result.isCompletedExceptionally());
    assertThat(next.takeAsked())
        .containsExactly("write 0+1", "read 0+1", "read 0+1", "write 0+1", "write 2+1");
  }

  @Test
  void whatWaitsFailsWhenTheNextSessionIsLate() {
    queue.mounted(session);
    endSession(SessionError.TIMED_OUT, WHY);
    ReadOperation read = read(0, 1);
    queue.delayed(WHY);
    assertThat(failure(read)).isSameAs(WHY);
    assertThat(read(1, 1).result).as("later calls wait again").isNotDone();
  }

  @Test
  void changesFailAtOnceBetweenASessionThatFoundNoRoomAndTheNextAndReadsWait() {
    queue.mounted(session);
    queue.unmounted(new SalusException.NoSpace("full"));
    assertThat(failure(write(0, BLOCK))).isInstanceOf(SalusException.NoSpace.class);
    ReadOperation read = read(0, 1);
    assertThat(read.result).isNotDone();
    queue.mounted(session);
    assertThat(write(0, BLOCK).result).isCompleted();
    loop.settle();
    assertThat(read.result).isCompleted();
  }

  @Test
  void everythingFailsWithTheReasonOnceNoSessionComes() {
    queue.mounted(session);
    SalusException integrity = new SalusException.Integrity("gone");
    session.holds = true;
    read(0, 1);
    loop.settle();
    ReadOperation gathered = read(4, 1);
    session.failAll(SessionError.INTEGRITY);
    queue.ending(integrity);
    assertThat(failure(read(0, 1))).as("called before the lease is back").isSameAs(integrity);
    assertThat(queue.over()).isNotDone();
    queue.over(integrity);
    loop.settle();
    assertThat(failure(gathered)).isSameAs(integrity);
    assertThat(queue.over()).isCompleted();
    assertThat(failure(write(0, 1))).isSameAs(integrity);
  }

  @Test
  void closingIssuesWhatWaitsAndTakesNoMore() {
    queue.mounted(session);
    session.holds = true;
    WriteOperation before = write(10, 20);
    queue.close();
    assertThat(failure(write(0, BLOCK))).isInstanceOf(SalusException.Closed.class);
    assertThat(session.closed).isFalse();
    session.answer();
    assertThat(session.closed).isTrue();
    session.answer();
    assertThat(before.result).isCompleted();
  }

  @Test
  void changesOfWhichTheSessionSentSomethingAreInDoubtAndOthersAreNot() {
    queue.mounted(session);
    session.holds = true;
    List<Operation<?>> sent = List.of(write(0, BLOCK), zero(BLOCK, BLOCK), flush());
    List<Operation<?>> kept = List.of(write(0, BLOCK), zero(BLOCK, BLOCK), flush());
    for (int i = 0; i < sent.size(); i++) {
      session.failFirst(SessionError.TIMED_OUT, true);
    }
    for (int i = 0; i < kept.size(); i++) {
      session.failFirst(SessionError.TIMED_OUT, false);
    }
    assertThat(sent).allMatch(op -> reason(op) instanceof SalusException.TimedOut);
    assertThat(kept).allMatch(op -> failure(op) instanceof SalusException.TimedOut);
  }

  @Test
  void changesThatWaitAreNotPerformedWhateverEndsThem() {
    List<SalusException> reasons =
        List.of(
            WHY, new SalusException.Fenced("taken"), new SalusException.Unavailable("away", null));
    for (SalusException why : reasons) {
      RequestQueue other = new RequestQueue(spec, loop);
      WriteOperation waits = new WriteOperation(BLOCK, 0, ByteBuffer.allocate(BLOCK), false);
      other.add(waits);
      other.over(why);
      assertThat(failure(waits)).isSameAs(why);
    }
  }

  @Test
  void zeroingOfWhichOnePartIsDoneIsInDoubt() {
    queue.mounted(session);
    ZeroOperation zeroing = zero(10, 3 * BLOCK);
    assertThat(zeroing.result).isCompleted();
    session.holds = true;
    ZeroOperation partly = zero(10, 3 * BLOCK);
    session.answerFirst();
    session.answerFirst();
    session.answerFirst();
    session.failFirst(SessionError.NO_SPACE, false);
    session.failFirst(SessionError.NO_SPACE, false);
    assertThat(reason(partly)).isInstanceOf(SalusException.NoSpace.class);
    ZeroOperation none = zero(BLOCK + 10, 20);
    session.answerFirst();
    session.failFirst(SessionError.NO_SPACE, false);
    assertThat(failure(none)).isInstanceOf(SalusException.NoSpace.class);
  }
}
