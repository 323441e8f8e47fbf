package org.salus.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Each segment overwrites one whole extent of the region, of the segment's size. */
class CheckpointsTest {
  private static final int SEGMENT = 1000;

  private final Checkpoints checkpoints = new Checkpoints();
  private final Map<Long, BitSet> extents = new HashMap<>();
  private long segment;

  @Test
  void neighboursOfALevelAreMergedSoThatNoneIsLeftBehind() {
    flush(Checkpoints.FAN_IN - 1);
    assertThat(checkpoints.compactions()).isEmpty();
    flush(3);
    assertThat(checkpoints.compaction(1).inputs()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    assertThat(checkpoints.compaction(6)).isNotNull();
    assertThat(checkpoints.compaction(7)).as("more than there are").isNull();
    finish(begin(checkpoints.compaction(1)));
    assertThat(levels()).containsExactly(1);
    assertThat(checkpoints.compactions()).isEmpty();
  }

  @Test
  void aLevelIsASize() {
    assertThat(Checkpoints.level(1, SEGMENT)).isEqualTo(1);
    assertThat(Checkpoints.level(8 * SEGMENT, SEGMENT)).isEqualTo(1);
    assertThat(Checkpoints.level(8 * SEGMENT + 1, SEGMENT)).isEqualTo(2);
    assertThat(Checkpoints.level(32 * SEGMENT, SEGMENT)).isEqualTo(2);
    assertThat(Checkpoints.level(1L << 50, 1L << 30)).isEqualTo(10);
  }

  @Test
  void theOldestIsMergedWithWhatOverwritesIt() {
    for (int i = 0; i < 10; i++) {
      flush(4);
      finish(begin(checkpoints.compaction(1)));
      assertThat(levels()).as("time %d", i).containsExactly(1);
      assertThat(checkpoints.live().get(0).length()).isEqualTo(4 * SEGMENT);
    }
  }

  @Test
  void theOldestIsLeftAloneWhileItIsMuchLarger() {
    flush(40);
    finish(begin(checkpoints.compaction(1)));
    assertThat(levels()).containsExactly(3);
    flush(4);
    assertThat(checkpoints.compaction(1).inputs()).doesNotContain(checkpoints.live().get(0).id());
  }

  @Test
  void aSegmentHasBlocksUntilItsCheckpointIsMerged() {
    flush(Checkpoints.FAN_IN);
    BuildBody merge = begin(checkpoints.compaction(1));
    flush(1);
    assertThat(LongStream.rangeClosed(1, 6).filter(checkpoints::areIn))
        .containsExactly(1L, 2L, 3L, 4L, 5L);
    finish(merge);
    assertThat(LongStream.rangeClosed(1, 6).filter(checkpoints::areIn)).containsExactly(5L);
  }

  @Test
  void longUseLeavesLessThanAFullRunOfEachLevel() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int region = 1 + random.nextInt(200);
    for (int i = 0; i < 3000; i++) {
      List<BuildBody> underWay = checkpoints.building();
      BuildBody compaction = checkpoints.compaction(1 + random.nextInt(10));
      if (random.nextInt(3) == 0 && !underWay.isEmpty()) {
        finish(underWay.get(random.nextInt(underWay.size())));
      } else if (random.nextBoolean() && compaction != null) {
        begin(compaction);
      } else {
        overwrite(random.nextInt(region));
      }
      checkpoints
          .building()
          .forEach(
              b ->
                  assertThat(ids())
                      .as("seed %d: merged are neighbours", seed)
                      .containsSequence(b.inputs()));
    }
    while (!checkpoints.building().isEmpty() || !checkpoints.compactions().isEmpty()) {
      if (!checkpoints.compactions().isEmpty()) {
        begin(checkpoints.compaction(1));
      }
      finish(checkpoints.building().get(0));
    }
    List<Integer> levels = levels();
    for (int newest = levels.size() - 1; newest >= 0; ) {
      int level = levels.get(newest);
      int last = newest;
      while (newest >= 0 && levels.get(newest) <= level) {
        newest--;
      }
      assertThat(last - newest)
          .as("seed %d: neighbours of level %d or less in %s", seed, level, levels)
          .isLessThan(Checkpoints.FAN_IN);
    }
  }

  @Test
  void eachLevelIsCompactedByItself() {
    int next = 0;
    for (int i = 0;
        i < 1 + Checkpoints.FAN_IN;
        i++) { // the oldest, which is much larger, and a run
      int count = i == 0 ? 200 : Checkpoints.FAN_IN;
      overwrite(IntStream.range(next, next + count).toArray());
      next += count;
      finish(begin(checkpoints.compaction(1)));
    }
    assertThat(levels()).containsExactly(4, 1, 1, 1, 1);
    BuildBody slow = begin(checkpoints.compaction(1));
    assertThat(checkpoints.level(slow)).isEqualTo(1);
    flush(2 * Checkpoints.FAN_IN);
    BuildBody quick = begin(checkpoints.compaction(1));
    assertThat(checkpoints.level(quick)).isZero();
    flush(Checkpoints.FAN_IN);
    assertThat(checkpoints.compactions()).as("others of these levels").isEmpty();
    finish(quick);
    finish(begin(checkpoints.compaction(1)));
    assertThat(levels()).containsExactly(4, 1, 1, 1, 1, 1, 1);
    assertThat(checkpoints.compactions()).as("more of the level that is being compacted").isEmpty();
    finish(slow);
    assertThat(levels()).containsExactly(4, 2, 1, 1);
    assertThat(checkpoints.building()).isEmpty();
  }

  @Test
  void theOldestIsLeftAloneWhileItIsMerged() {
    flush(40);
    finish(begin(checkpoints.compaction(1)));
    for (int i = 0; i < Checkpoints.FAN_IN; i++) {
      flush(12);
      finish(begin(checkpoints.compaction(1)));
    }
    assertThat(levels()).containsExactly(3, 2, 2, 2, 2);
    BuildBody whole = begin(checkpoints.compaction(1));
    assertThat(whole.inputs()).hasSize(1 + Checkpoints.FAN_IN);
    flush(Checkpoints.FAN_IN);
    assertThat(checkpoints.compaction(1).inputs())
        .hasSize(Checkpoints.FAN_IN)
        .doesNotContainAnyElementsOf(whole.inputs());
  }

  private List<Long> ids() {
    return checkpoints.live().stream().map(Checkpoint::id).toList();
  }

  private List<Integer> levels() {
    return checkpoints.live().stream().map(Checkpoint::level).toList();
  }

  private void flush(int times) {
    overwrite(IntStream.range(0, times).toArray());
  }

  private void overwrite(int... of) {
    for (int extent : of) {
      BuildBody b = begin(checkpoints.flush(++segment));
      BitSet one = new BitSet();
      one.set(extent);
      extents.put(b.checkpoint(), one);
      checkpoints.apply(
          new BuiltBody(
              new Checkpoint(b.checkpoint(), 0, segment, segment, SEGMENT, 7, new byte[32]),
              List.of()));
    }
  }

  private BuildBody begin(BuildBody b) {
    checkpoints.apply(b);
    return b;
  }

  private void finish(BuildBody b) {
    BitSet merged = new BitSet();
    b.inputs().forEach(id -> merged.or(extents.get(id)));
    extents.put(b.checkpoint(), merged);
    long length = (long) merged.cardinality() * SEGMENT;
    Checkpoint first = checkpoints.byId(b.inputs().get(0));
    Checkpoint last = checkpoints.byId(b.inputs().get(b.inputs().size() - 1));
    checkpoints.apply(
        new BuiltBody(
            new Checkpoint(
                b.checkpoint(),
                Checkpoints.level(length, SEGMENT),
                first.first(),
                last.last(),
                length,
                7,
                new byte[32]),
            b.inputs()));
  }
}
