package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
  void longUseLeavesLessThanAFullRunOfEachLevel() {
    for (int i = 0; i < 1000; i++) {
      flush(1 + i % 7);
      for (BuildBody due = checkpoints.compaction(); due != null && i % 3 == 0; due = checkpoints.compaction()) {
        finish(begin(due));
      }
    }
    while (checkpoints.compaction() != null) {
      finish(begin(checkpoints.compaction()));
    }
    assertThat(levels()).isSortedAccordingTo((a, b) -> b - a);
    for (int level : levels()) {
      assertThat(levels().stream().filter(l -> l == level)).hasSizeLessThan(Checkpoints.FAN_IN);
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
