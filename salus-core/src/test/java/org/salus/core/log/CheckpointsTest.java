package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CheckpointsTest {
  private final Checkpoints checkpoints = new Checkpoints();
  private long segment;

  @Test
  void oldestNeighboursAreMergedSoThatNoneIsLeftBehind() {
    flush(Checkpoints.FAN_IN + 2);
    assertThat(checkpoints.compaction().inputs()).containsExactly(1L, 2L, 3L, 4L);
    finish(begin(checkpoints.compaction()));
    assertThat(levels()).containsExactly(1, 0, 0);
    assertThat(checkpoints.compaction()).isNull();
  }

  @Test
  void aSegmentHasBlocksUntilItsCheckpointIsMerged() {
    flush(Checkpoints.FAN_IN + 1);
    assertThat(LongStream.rangeClosed(1, 6).filter(checkpoints::areIn)).containsExactly(1L, 2L, 3L, 4L, 5L);
    BuildBody merge = begin(checkpoints.compaction());
    assertThat(LongStream.rangeClosed(1, 6).filter(checkpoints::areIn)).containsExactly(1L, 2L, 3L, 4L, 5L);
    finish(merge);
    assertThat(LongStream.rangeClosed(1, 6).filter(checkpoints::areIn)).containsExactly(5L);
  }

  @Test
  void longUseLeavesLessThanAFullRunOfEachLevel() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      List<BuildBody> underWay = checkpoints.building();
      if (random.nextInt(3) == 0 && !underWay.isEmpty()) {
        finish(underWay.get(random.nextInt(underWay.size())));
      } else if (random.nextBoolean() && checkpoints.compaction() != null) {
        begin(checkpoints.compaction());
      } else {
        flush(1);
      }
      checkpoints.building().forEach(b -> assertThat(ids()).as("seed %d: merged are neighbours", seed).containsSequence(b.inputs()));
    }
    while (!checkpoints.building().isEmpty() || checkpoints.compaction() != null) {
      if (checkpoints.compaction() != null) {
        begin(checkpoints.compaction());
      }
      finish(checkpoints.building().get(0));
    }
    assertThat(levels()).as("seed %d", seed).isSortedAccordingTo(Comparator.reverseOrder());
    for (int level : levels()) {
      assertThat(levels().stream().filter(l -> l == level)).as("seed %d", seed).hasSizeLessThan(Checkpoints.FAN_IN);
    }
  }

  @Test
  void eachLevelIsCompactedByItself() {
    for (int i = 0; i < Checkpoints.FAN_IN; i++) {
      flush(Checkpoints.FAN_IN);
      finish(begin(checkpoints.compaction()));
    }
    BuildBody slow = begin(checkpoints.compaction());
    assertThat(checkpoints.level(slow)).isEqualTo(1);
    flush(2 * Checkpoints.FAN_IN);
    BuildBody quick = begin(checkpoints.compaction());
    assertThat(checkpoints.level(quick)).isZero();
    assertThat(checkpoints.compaction()).as("another one of these levels").isNull();
    finish(quick);
    finish(begin(checkpoints.compaction()));
    assertThat(levels()).containsExactly(1, 1, 1, 1, 1, 1);
    assertThat(checkpoints.compaction()).as("more of the level that is being compacted").isNull();
    finish(slow);
    assertThat(levels()).containsExactly(2, 1, 1);
    assertThat(checkpoints.building()).isEmpty();
  }

  private List<Long> ids() {
    return checkpoints.live().stream().map(Checkpoint::id).toList();
  }

  private List<Integer> levels() {
    return checkpoints.live().stream().map(Checkpoint::level).toList();
  }

  private void flush(int times) {
    for (int i = 0; i < times; i++) {
      BuildBody b = begin(checkpoints.flush(++segment));
      checkpoints.apply(new BuiltBody(new Checkpoint(b.checkpoint(), 0, segment, segment, 1000, 7, new byte[32]), List.of()));
    }
  }

  private BuildBody begin(BuildBody b) {
    checkpoints.apply(b);
    return b;
  }

  private void finish(BuildBody b) {
    Checkpoint first = checkpoints.byId(b.inputs().get(0));
    Checkpoint last = checkpoints.byId(b.inputs().get(b.inputs().size() - 1));
    checkpoints.apply(new BuiltBody(new Checkpoint(b.checkpoint(), first.level() + 1, first.first(), last.last(), 1000, 7, new byte[32]), b.inputs()));
  }
}
