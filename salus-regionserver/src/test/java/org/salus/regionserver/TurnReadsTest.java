package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.Effect.ServeGet;

class TurnReadsTest {
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final List<List<Long>> handedOver = new ArrayList<>();
  private final TurnReads reads = new TurnReads(loop::add, some -> handedOver.add(some.stream().map(ServeGet::id).toList()));

  @Test
  void smallGetsOfOneTurnAreReadTogetherAndInOrder() {
    LongStream.range(0, 20).forEach(id -> reads.add(get(id, 1)));
    turn();
    assertThat(handedOver).containsExactly(LongStream.range(0, 16).boxed().toList(), List.of(16L, 17L, 18L, 19L));
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

  private void turn() {
    while (!loop.isEmpty()) {
      loop.poll().run();
    }
  }

  private static ServeGet get(long id, int blocks) {
    return new ServeGet(null, id, 0, 0, blocks, List.of(), List.of());
  }
}
