package org.salus.core.session.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LastToTouchTest {
  private record Change(int number, long from, long to) {}

  private final LastToTouch<Change> index = new LastToTouch<>();

  private Change add(int number, long from, long to) {
    Change c = new Change(number, from, to);
    index.add(c, from, to);
    return c;
  }

  @Test
  void lastOfSeveralIsFoundAndNeighboursDoNotCount() {
    Change wide = add(1, 0, 100);
    Change small = add(2, 10, 20);
    assertThat(index.last(0, 10)).isSameAs(wide);
    assertThat(index.last(9, 11)).isSameAs(small);
    assertThat(index.last(20, 21)).isSameAs(wide);
    assertThat(index.last(100, 200)).isNull();
    assertThat(index.last(5, 5)).isNull();
    index.remove(wide, 0, 100);
    assertThat(index.last(0, 100)).isSameAs(small);
    index.remove(small, 10, 20);
    assertThat(index.last(0, 100)).isNull();
  }

  @Test
  void changeOfNoBlocksTouchesNothing() {
    add(1, 7, 7);
    assertThat(index.last(0, 100)).isNull();
  }

  /** Changes leave in the order in which they came, as those of a queue do. */
  @Test
  void agreesWithALookAtEveryWaitingChange() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Change> waiting = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      long from = random.nextInt(60);
      long to = from + random.nextInt(1 + random.nextInt(20));
      if (random.nextBoolean()) {
        waiting.add(add(i, from, to));
      } else if (!waiting.isEmpty() && random.nextInt(3) > 0) {
        Change first = waiting.remove(0);
        index.remove(first, first.from, first.to);
      }
      Change last = null;
      for (Change c : waiting) {
        last = c.from < to && from < c.to && from < to && c.from < c.to ? c : last;
      }
      assertThat(index.last(from, to)).as("seed %d, step %d", seed, i).isSameAs(last);
    }
  }
}
