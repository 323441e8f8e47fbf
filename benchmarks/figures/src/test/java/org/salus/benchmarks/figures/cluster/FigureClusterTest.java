package org.salus.benchmarks.figures.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Contents;
import org.salus.benchmarks.figures.load.MemoryBlocks;

class FigureClusterTest {
  @Test
  void everyStoreIsFirstInItsTurnAndNoneIsLeftOut() {
    List<CheckedStore> stores =
        IntStream.range(0, 3)
            .mapToObj(i -> new CheckedStore(new MemoryBlocks(), new Contents(1), 1))
            .toList();
    for (int round = 0; round < 6; round++) {
      List<CheckedStore> turn = FigureCluster.inTurn(stores, round);
      assertThat(turn).containsExactlyInAnyOrderElementsOf(stores);
      assertThat(turn.get(0)).isSameAs(stores.get(round % 3));
    }
  }
}
