package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect.ServeGet;

class TurnReadsTest {
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final List<List<Long>> handedOver = new ArrayList<>();
  private final List<Long> answered = new ArrayList<>();
  private boolean cached;
  private final TurnReads reads =
      new TurnReads(
          loop::add,
          4096,
          this::readAtOnce,
          some -> handedOver.add(some.stream().map(ServeGet::id).toList()));

  private boolean readAtOnce(ServeGet get) {
    return cached && answered.add(get.id());
  }

  @Test
  void smallGetsOfOneTurnAreReadTogetherAndInOrder() {
    LongStream.range(0, 20).forEach(id -> reads.add(get(id, 1)));
    turn();
    assertThat(handedOver)
        .containsExactly(LongStream.range(0, 16).boxed().toList(), List.of(16L, 17L, 18L, 19L));
  }

  @Test
  void aLargeGetHoldsUpNoneThatComesAfterIt() {
    reads.add(get(1, 1));
    reads.add(get(2, 256));
    reads.add(get(3, 1));
    turn();
    assertThat(handedOver).containsExactly(List.of(1L, 2L), List.of(3L));
  }

  @Test
  void getsOfTheNextTurnAreHandedOverThen() {
    reads.add(get(1, 1));
    turn();
    reads.add(get(2, 1));
    turn();
    assertThat(handedOver).containsExactly(List.of(1L), List.of(2L));
  }

  @Test
  void whatIsCachedIsAnsweredAtOnceUpToSoMuchInATurn() {
    cached = true;
    LongStream.range(0, 33).forEach(id -> reads.add(get(id, 1)));
    assertThat(answered).containsExactlyElementsOf(LongStream.range(0, 32).boxed().toList());
    turn();
    assertThat(handedOver).containsExactly(List.of(32L));
    reads.add(get(33, 33));
    reads.add(get(34, 32));
    turn();
    assertThat(answered).endsWith(31L, 34L);
    assertThat(handedOver).containsExactly(List.of(32L), List.of(33L));
  }

  /** Finding out that something is not cached takes time too. */
  @Test
  void whatIsNotCachedIsTriedUpToSoMuchInATurn() {
    reads.add(get(1, 32));
    cached = true;
    reads.add(get(2, 1));
    turn();
    assertThat(answered).isEmpty();
    assertThat(handedOver).containsExactly(List.of(1L), List.of(2L));
  }

  private void turn() {
    while (!loop.isEmpty()) {
      loop.poll().run();
    }
  }

  private static ServeGet get(long id, int blocks) {
    return new ServeGet(null, id, 0, 0, blocks, List.of(), List.of());
  }
}
