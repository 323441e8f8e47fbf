package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;

/** Order, and what becomes of requests when their session ends, over scripted sessions. */
class RequestQueueTest {
  private static final int BLOCK = ScriptedSession.BLOCK;
  private static final SalusException WHY = new SalusException.TimedOut("no answer");

  private final VolumeSpec spec = new VolumeSpec("disk", 9, BLOCK, 256, 1, false, 64 << 20);
  private final ScriptedLoop loop = new ScriptedLoop();
  private final RequestQueue queue = new RequestQueue(spec, loop);
  private final ScriptedSession session = new ScriptedSession(256);
  private final ScriptedSession next = new ScriptedSession(256);

  private ReadOperation read(long firstBlock, int blocks) {
    return add(new ReadOperation(BLOCK, firstBlock * BLOCK, ByteBuffer.allocate(blocks * BLOCK)));
  }

  private WriteOperation write(long offset, int length) {
    return add(new WriteOperation(BLOCK, offset, ByteBuffer.allocate(length), false));
  }

  private <T extends Operation<?>> T add(T op) {
    queue.add(op);
    return op;
  }

  private static Throwable failure(Operation<?> op) {
    assertThat(op.result).isCompletedExceptionally();
    try {
      op.result.join();
      throw new AssertionError("it did not fail");
    } catch (CompletionException failed) {
      return failed.getCause();
    }
  }

  /** Why a change failed of which it is not known whether it took effect. */
  private static SalusException reason(Operation<?> op) {
    assertThat(failure(op)).isInstanceOf(SalusException.UnknownOutcome.class);
    return ((SalusException.UnknownOutcome) failure(op)).reason();
  }

  private void endSession(SessionError why, SalusException reason) {
    session.failAll(why);
    queue.unmounted(reason);
  }

  // ---- order ----

  @Test
  void requestsWaitForTheFirstMountInOrder() {
    write(0, BLOCK);
    read(0, 1);
    write(BLOCK, BLOCK);
    assertThat(session.asked).isEmpty();
    queue.mounted(session);
    assertThat(session.takeAsked()).containsExactly("write 0+1", "read 0+1", "write 1+1");
  }

  @Test
  void whatIsCalledAfterAnUnalignedWriteWaitsBehindIt() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    write(BLOCK, BLOCK);
    read(0, 1);
    assertThat(session.takeAsked()).containsExactly("read 0+1");
    session.answer();
    assertThat(session.takeAsked()).containsExactly("write 0+1", "write 1+1", "read 0+1");
  }

  @Test
  void readOfOtherBlocksDoesNotWaitBehindAnUnalignedWrite() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    read(1, 1);
    loop.settle();
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
  }

  @Test
  void unalignedWritesOfOtherBlocksReadSideBySide() {
    queue.mounted(session);
    session.holds = true;
    write(10, 20);
    write(3 * BLOCK + 10, 20);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 3+1");
    session.answer();
    assertThat(session.takeAsked()).containsExactly("write 0+1", "write 3+1");
  }

  @Test
  void unalignedWriteWaitsForBothItsEdges() {
    queue.mounted(session);
    session.holds = true;
    write(10, BLOCK);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
    session.answerFirst();
    assertThat(session.asked).isEmpty();
    session.answerFirst();
    assertThat(session.takeAsked()).containsExactly("write 0+2");
  }

  @Test
  void twoUnalignedWritesOfOneBlockKeepEachOthersBytes() {
    queue.mounted(session);
    session.holds = true;
    add(new WriteOperation(BLOCK, 0, ByteBuffer.wrap(new byte[] {1}), false));
    add(new WriteOperation(BLOCK, 1, ByteBuffer.wrap(new byte[] {2}), false));
    for (int i = 0; i < 4; i++) {
      session.answer();
    }
    assertThat(session.bytes).startsWith(1, 2, 0);
  }

  @Test
  void writeAfterGatheredReadsIsIssuedAfterThem() {
    queue.mounted(session);
    read(0, 1);
    write(0, BLOCK);
    assertThat(session.takeAsked()).containsExactly("read 0+1", "write 0+1");
  }

  @Test
  void unalignedWriteWhoseBlockIsBadFailsAndIsNotWritten() {
    queue.mounted(session);
    session.bad.put(0L, SessionError.INTEGRITY);
    WriteOperation bad = write(10, 20);
    WriteOperation good = write(BLOCK, BLOCK);
    assertThat(failure(bad)).isInstanceOf(SalusException.Integrity.class);
    assertThat(good.result).isCompleted();
    assertThat(session.takeAsked()).containsExactly("read 0+1", "write 1+1");
  }

  // ---- merged reads ----

  @Test
  void readsOfNeighboursInOneTurnAreOneRequest() {
    queue.mounted(session);
    session.bytes[BLOCK] = 7;
    ByteBuffer second = ByteBuffer.allocate(BLOCK);
    ReadOperation first = read(0, 1);
    add(new ReadOperation(BLOCK, BLOCK, second));
    loop.settle();
    assertThat(session.takeAsked()).containsExactly("read 0+2");
    assertThat(first.result).isCompleted();
    assertThat(second.get(0)).isEqualTo((byte) 7);
  }

  @Test
  void readsOfTwoTurnsAreNotMerged() {
    queue.mounted(session);
    read(0, 1);
    loop.settle();
    read(1, 1);
    loop.settle();
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
  }

  @Test
  void eachMergedReadFailsAlone() {
    queue.mounted(session);
    session.bad.put(1L, SessionError.INTEGRITY);
    ReadOperation good = read(0, 1);
    ReadOperation bad = read(1, 1);
    loop.settle();
    assertThat(session.takeAsked()).containsExactly("read 0+2", "read 0+1", "read 1+1");
    assertThat(good.result).isCompleted();
    assertThat(failure(bad)).isInstanceOf(SalusException.Integrity.class);
  }

  @Test
  void mergedReadsGoOnAloneAfterASecond() {
    queue.mounted(session);
    session.holds = true;
    ReadOperation one = read(0, 1);
    ReadOperation two = read(1, 1);
    loop.advance(Duration.ofMillis(999));
    assertThat(session.takeAsked()).containsExactly("read 0+2");
    loop.advance(Duration.ofMillis(1));
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
    session.failFirst(SessionError.TIMED_OUT); // too late to matter
    session.answer();
    assertThat(one.result).isCompleted();
    assertThat(two.result).isCompleted();
  }

  @Test
  void closeWaitsForMergedReadsThatMayGoOnAlone() {
    queue.mounted(session);
    session.holds = true;
    List<ReadOperation> late = List.of(read(0, 1), read(1, 1));
    loop.settle();
    List<ReadOperation> bad = List.of(read(4, 1), read(5, 1));
    session.bad.put(5L, SessionError.INTEGRITY);
    loop.settle();
    queue.close();
    assertThat(session.closed).isFalse();
    loop.advance(Duration.ofMillis(999));
    assertThat(session.takeAsked()).containsExactly("read 0+2", "read 4+2");
    session.answerSecond();
    assertThat(session.takeAsked()).containsExactly("read 4+1", "read 5+1");
    assertThat(session.closed).as("others may still go on alone").isFalse();
    loop.advance(Duration.ofMillis(1));
    assertThat(session.takeAsked()).containsExactly("read 0+1", "read 1+1");
    assertThat(session.closed).isTrue();
    session.answer();
    assertThat(late).allSatisfy(r -> assertThat(r.result).isCompleted());
    assertThat(bad.get(0).result).isCompleted();
    assertThat(failure(bad.get(1))).isInstanceOf(SalusException.Integrity.class);
  }

  @Test
  void closeWaitsForNoMergedReadsThatAreAnswered() {
    queue.mounted(session);
    session.holds = true;
    read(0, 1);
    read(1, 1);
    loop.settle();
    queue.close();
    assertThat(session.closed).isFalse();
    session.answer();
    assertThat(session.closed).isTrue();
  }

  @Test
  void answeredMergedReadsAreNotReadAgain() {
    queue.mounted(session);
    read(0, 1);
    read(1, 1);
    loop.settle();
    session.takeAsked();
    loop.advance(Duration.ofSeconds(5));
    assertThat(session.asked).isEmpty();
  }

  // ---- the end of a session ----

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

  // ---- what is known of a change that failed ----

  private ZeroOperation zero(long offset, long length) {
    return add(new ZeroOperation(BLOCK, offset, length, false));
  }

  private Operation<?> flush() {
    return add(new FlushOfTest());
  }

  private static final class FlushOfTest extends Operation<Void> {
    FlushOfTest() {
      super(BLOCK, 0, 0);
    }

    @Override
    Kind kind() {
      return Kind.FLUSH;
    }

    @Override
    boolean needsRoom() {
      return false;
    }

    @Override
    CompletableFuture<SessionEffect.Outcome> issue(BlockSession to) {
      return to.flush();
    }
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

  // ---- stop at the first change that fails ----

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
            new FlushOfTest());
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
