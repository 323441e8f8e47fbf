package org.salus.sim.explore.automaton;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class DigestTest {

  /** Stands for a part of a component. */
  private static final class Part {
    private final byte[] bytes;
    private final ArrayDeque<Long> queue = new ArrayDeque<>();
    private final TreeMap<Integer, Part> others = new TreeMap<>();

    @SuppressWarnings("unused") // read by reflection
    private Object any;

    Part(int b) {
      bytes = new byte[] {(byte) b, 2};
    }
  }

  @Test
  void graphsThatHoldTheSameHaveOneDigest() {
    assertThat(Digest.of(graph(1)))
        .isEqualTo(Digest.of(graph(1)))
        .isNotEqualTo(Digest.of(graph(2)));
  }

  private static Part graph(int b) {
    Part p = new Part(b);
    p.queue.add(7L);
    p.others.put(1, new Part(3));
    p.others.get(1).any = p; // a cycle
    return p;
  }

  @Test
  void everyFieldCounts() {
    Part p = graph(1);
    Digest.Print before = Digest.of(p);
    p.queue.add(8L);
    Digest.Print longer = Digest.of(p);
    p.others.get(1).bytes[1] = 5;
    Digest.Print deeper = Digest.of(p);
    p.any = ByteBuffer.allocate(3);
    assertThat(List.of(before, longer, deeper, Digest.of(p))).doesNotHaveDuplicates();
  }

  @Test
  void anAliasIsNotACopy() {
    Part shared = new Part(1);
    assertThat(Digest.of(List.of(shared, shared)))
        .isNotEqualTo(Digest.of(List.of(shared, new Part(1))));
  }

  @Test
  void theOrderOfEntriesCountsWhereThereIsOne() {
    assertThat(Digest.of(List.of(1, 2))).isNotEqualTo(Digest.of(List.of(2, 1)));
    Map<String, Integer> some = new HashMap<>(Map.of("Aa", 1));
    some.put("BB", 2); // falls into the same bucket as Aa
    Map<String, Integer> other = new HashMap<>(Map.of("BB", 2));
    other.put("Aa", 1);
    assertThat(Digest.of(some)).isEqualTo(Digest.of(other));
  }

  @Test
  void whatItCannotReadIsAnError() {
    Part p = new Part(1);
    p.any = new Random(1);
    assertThatThrownBy(() -> Digest.of(p))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("java.util.Random");
  }
}
