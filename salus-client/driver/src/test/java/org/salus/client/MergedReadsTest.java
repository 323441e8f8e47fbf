package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;

/** Reads of neighbours go to the session as one, and each ends for itself. */
class MergedReadsTest extends OverScriptedSessions {
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
}
