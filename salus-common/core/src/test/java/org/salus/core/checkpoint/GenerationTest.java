package org.salus.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.core.tree.Hashes;

class GenerationTest {

  private record Entry(long offset, byte[] hash) {}

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 31, 32, 33, 1000, 20_000})
  void theNewestOfEachBlockIsFoundAndNothingElse(int puts) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Generation g = new Generation();
    TreeMap<Long, Entry> expected = new TreeMap<>();
    for (int i = 0; i < puts; i++) {
      byte[] hash = new byte[Hashes.BYTES];
      random.nextBytes(hash);
      long block = random.nextInt(puts) + (random.nextBoolean() ? 1L << 32 : 0);
      Entry e =
          new Entry(random.nextInt(10) == 0 ? Generation.ZERO : random.nextInt(1 << 30), hash);
      g.put(block, e.offset, e.hash);
      expected.put(block, e);
    }
    assertThat(g.size()).as("seed " + seed).isEqualTo(expected.size());
    for (long block = 0; block < puts; block++) {
      assertThat(find(g, block))
          .as("block " + block + " of seed " + seed)
          .usingRecursiveComparison()
          .isEqualTo(expected.get(block));
    }
    sorted(g.snapshot(), expected, seed);
  }

  private static Entry find(Generation g, long block) {
    int i = g.index(block);
    if (i < 0) {
      return null;
    }
    byte[] hash = new byte[Hashes.BYTES];
    g.copyHash(i, hash, 0);
    return new Entry(g.offset(i), hash);
  }

  private static void sorted(Generation.Snapshot s, TreeMap<Long, Entry> expected, long seed) {
    assertThat(Arrays.stream(s.locals()).boxed())
        .as("seed " + seed)
        .containsExactlyElementsOf(expected.keySet());
    int i = 0;
    for (Entry e : expected.values()) {
      assertThat(new Entry(s.offsets()[i], s.hash(i)))
          .as("seed " + seed)
          .usingRecursiveComparison()
          .isEqualTo(e);
      i++;
    }
  }
}
