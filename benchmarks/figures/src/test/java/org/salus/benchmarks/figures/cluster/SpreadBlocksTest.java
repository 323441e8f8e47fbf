package org.salus.benchmarks.figures.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.core.VolumeSpec;

class SpreadBlocksTest {
  private static final long LARGEST = VolumeSpec.MAX_BYTES / BlockStoreUnderTest.BLOCK;

  @Test
  void runsAreStripesInEveryPartOfTheVolumeAndNoneMeetsAnother() {
    int count = 512;
    long[] runs = SpreadBlocks.runs(LARGEST, count, 7);
    for (int i = 0; i < count; i++) {
      assertThat(runs[i] % SpreadBlocks.RUN).isZero();
      assertThat(runs[i])
          .isBetween(LARGEST / count * i, LARGEST / count * (i + 1) - SpreadBlocks.RUN);
    }
    assertThat(
            new VolumeSpec("v", 1, BlockStoreUnderTest.BLOCK, LARGEST, 4, false, 64 << 20)
                .stripeBlocks())
        .isEqualTo(SpreadBlocks.RUN);
  }

  @Test
  void everyRegionGetsAboutAsManyRuns() {
    for (long blocks : new long[] {1 << 18, LARGEST}) {
      VolumeSpec spec =
          new VolumeSpec("v", 1, BlockStoreUnderTest.BLOCK, blocks, 4, false, 64 << 20);
      int[] each = new int[4];
      Arrays.stream(SpreadBlocks.runs(blocks, 512, 7)).forEach(b -> each[spec.region(b)]++);
      Arrays.stream(each).forEach(n -> assertThat(n).isBetween(90, 170));
    }
  }

  @Test
  void aVolumeCanBeUsedWholeButNotMore() {
    assertThat(SpreadBlocks.runs(4 * SpreadBlocks.RUN, 4, 1)).containsExactly(0, 128, 256, 384);
    assertThatThrownBy(() -> SpreadBlocks.runs(4 * SpreadBlocks.RUN, 5, 1))
        .hasMessageContaining("do not fit");
  }
}
