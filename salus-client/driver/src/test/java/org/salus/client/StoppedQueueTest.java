package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;

/** A queue that is told to do so stops at the first change that fails. */
class StoppedQueueTest extends OverScriptedSessions {
  /** How often the queue asked for the end of its volume. */
  private int ends;

  private void stopAtFailedWrite() {
    queue.stopAtFailedWrite(() -> ends++);
  }

  private void assertStopped(Operation<?> op) {
    assertThat(failure(op)).isInstanceOf(SalusException.Stopped.class);
  }

  @Test
  void withoutTheFlagLaterChangesGoOn() {
    queue.mounted(session);
    session.bad.put(0L, SessionError.INTEGRITY);
    write(10, 20);
    assertThat(write(BLOCK, BLOCK).result).isCompleted();
  }

  @Test
  void nothingBehindAChangeWhoseBlockIsBadIsSentAndWhatIsBeforeItIs() {
    stopAtFailedWrite();
    queue.mounted(session);
    session.holds = true;
    WriteOperation before = write(10, 20);
    WriteOperation bad = write(3 * BLOCK + 10, 20);
    WriteOperation behind = write(5 * BLOCK, BLOCK);
    session.failSecond(SessionError.INTEGRITY);
    assertThat(failure(bad)).isInstanceOf(SalusException.Integrity.class);
    assertStopped(write(6 * BLOCK, BLOCK));
    assertStopped(read(9, 1));
    assertThat(before.result).isNotDone();
    session.answer();
    assertThat(before.result).isCompleted();
    assertStopped(behind);
    assertThat(session.asked).containsExactly("read 0+1", "read 3+1", "write 0+1");
    assertThat(ends).isPositive();
  }

  @Test
  void changesThatWaitBehindOneThatTheSessionFailedAreNotSentToTheNext() {
    stopAtFailedWrite();
    queue.mounted(session);
    session.holds = true;
    session.leaseLost = true;
    WriteOperation issued = write(0, BLOCK);
    WriteOperation waits = write(10, 20);
    endSession(SessionError.FENCED, null);
    queue.mounted(next);
    assertThat(reason(issued)).isInstanceOf(SalusException.Unavailable.class);
    assertStopped(waits);
    assertStopped(write(0, BLOCK));
    assertStopped(flush());
    assertThat(next.asked).isEmpty();
    assertThat(ends).isPositive();
  }

  @Test
  void everyKindOfChangeStopsAndItsFailureIsTheCause() {
    List<Operation<?>> kinds =
        List.of(
            new WriteOperation(BLOCK, 0, ByteBuffer.allocate(BLOCK), false),
            new ZeroOperation(BLOCK, 0, BLOCK, false),
            new RemoteVolume.Flush(BLOCK));
    for (Operation<?> fails : kinds) {
      RequestQueue own = new RequestQueue(spec, loop);
      ScriptedSession of = new ScriptedSession(256);
      own.stopAtFailedWrite(() -> ends++);
      own.mounted(of);
      of.holds = true;
      own.add(fails);
      of.failFirst(SessionError.TIMED_OUT, true);
      WriteOperation later = new WriteOperation(BLOCK, 0, ByteBuffer.allocate(BLOCK), false);
      own.add(later);
      assertThat(failure(later))
          .isInstanceOf(SalusException.Stopped.class)
          .hasCauseInstanceOf(SalusException.TimedOut.class);
    }
  }

  @Test
  void changeThatWasNotMadeStopsThoseCalledAfterItAndNotThoseBefore() {
    stopAtFailedWrite();
    WriteOperation before = write(0, BLOCK);
    Operation<?> place = new ZeroOperation(BLOCK, 0, BLOCK, false);
    queue.refuse(place, new SalusException.Overloaded("no memory"));
    WriteOperation after = write(BLOCK, BLOCK);
    assertStopped(after);
    queue.mounted(session);
    assertThat(before.result).isCompleted();
    assertThat(session.asked).containsExactly("write 0+1");
    assertThat(ends).isPositive();
  }

  @Test
  void changeThatIsRefusedForWantOfRoomStops() {
    stopAtFailedWrite();
    queue.mounted(session);
    queue.unmounted(new SalusException.NoSpace("full"));
    assertThat(failure(write(0, BLOCK))).isInstanceOf(SalusException.NoSpace.class);
    queue.mounted(next);
    assertStopped(write(0, BLOCK));
    assertThat(next.asked).isEmpty();
  }

  @Test
  void changeWhoseTimeWasOverBeforeItWasSentStopsAndACancelledOneDoesNot() throws Exception {
    stopAtFailedWrite();
    WriteOperation cancelled = write(0, BLOCK);
    assertThat(cancelled.result.cancel(false)).isTrue();
    WriteOperation behind = write(BLOCK, BLOCK);
    queue.mounted(session);
    assertThat(behind.result).isCompleted();
    queue.unmounted(null);
    WriteOperation late = write(2 * BLOCK, BLOCK);
    late.result.orTimeout(1, TimeUnit.NANOSECONDS);
    while (!late.result.isDone()) {
      Thread.onSpinWait();
    }
    WriteOperation last = write(3 * BLOCK, BLOCK);
    queue.mounted(next);
    assertStopped(last);
    assertThat(next.asked).isEmpty();
  }

  @Test
  void volumeThatEndsForAnotherReasonSaysThatReason() {
    stopAtFailedWrite();
    WriteOperation waits = write(0, BLOCK);
    SalusException fenced = new SalusException.Fenced("taken");
    queue.over(fenced);
    assertThat(failure(waits)).isSameAs(fenced);
    assertThat(failure(write(0, BLOCK))).isSameAs(fenced);
    assertThat(queue.over()).isCompletedWithValue(fenced);
  }
}
