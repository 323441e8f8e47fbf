package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadMergerTest {
  private static final int BLOCK = 4096;
  private final ReadMerger merger = new ReadMerger(4);

  private boolean add(long firstBlock, int blocks) {
    return merger.add(
        new ReadOperation(BLOCK, firstBlock * BLOCK, ByteBuffer.allocate(blocks * BLOCK)));
  }

  private List<List<Long>> runs() {
    return merger.takeRuns().stream()
        .map(run -> run.stream().map(ReadOperation::firstBlock).toList())
        .toList();
  }

  @Test
  void neighboursAreOneRunInWhateverOrderTheyCame() {
    add(2, 1);
    add(0, 2);
    add(3, 1);
    assertThat(runs()).containsExactly(List.of(0L, 2L, 3L));
  }

  @Test
  void noRunGoesOverTheEndOfAStripe() {
    add(3, 1);
    add(4, 1);
    add(5, 1);
    assertThat(runs()).containsExactly(List.of(3L), List.of(4L, 5L));
  }

  @Test
  void readThatSpansStripesIsAlone() {
    add(2, 1);
    add(3, 2);
    add(5, 1);
    assertThat(runs()).containsExactly(List.of(2L), List.of(3L), List.of(5L));
  }

  @Test
  void readsThatOverlapOrLeaveAGapAreApart() {
    add(0, 1);
    add(0, 1);
    add(2, 1);
    assertThat(runs()).containsExactly(List.of(0L), List.of(0L), List.of(2L));
  }

  @Test
  void onlyTheFirstReadOfATurnSaysSo() {
    assertThat(add(0, 1)).isTrue();
    assertThat(add(1, 1)).isFalse();
    runs();
    assertThat(add(2, 1)).isTrue();
  }

  @Test
  void readsAreTakenOnce() {
    add(0, 1);
    assertThat(merger.take()).hasSize(1);
    assertThat(merger.take()).isEmpty();
    assertThat(runs()).isEmpty();
  }
}
