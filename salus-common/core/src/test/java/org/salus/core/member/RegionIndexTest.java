package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath;
import org.salus.core.tree.Hashes;

class RegionIndexTest {
  private static final long PAGE_BLOCKS = 128;

  private static VolumeSpec spec(long pages) {
    return new VolumeSpec("disk", 1, 4096, pages * PAGE_BLOCKS, 1, false, VolumeSpec.MIN_SEGMENT);
  }

  private static byte[] hash(long page) {
    byte[] hash = new byte[Hashes.BYTES];
    hash[0] = (byte) (page + 1);
    hash[1] = (byte) (page >> 8);
    return hash;
  }

  /** Every third page is in checkpoints. */
  private static RegionIndex filled(VolumeSpec spec, long pages) {
    RegionIndex index = new RegionIndex(spec);
    for (long page = 0; page < pages; page += 3) {
      index.setRoot(page, hash(page));
    }
    return index;
  }

  @Test
  void aPlaceThatTheIndexCannotHoldIsAnError() {
    long last = RegionIndex.location(FilePath.MOST, (1L << 32) - 1);
    assertThat(RegionIndex.segment(last)).isEqualTo(FilePath.MOST);
    assertThat(RegionIndex.offset(last)).isEqualTo((1L << 32) - 1);
    for (long segment : new long[] {FilePath.MOST + 1, 1L << 32, -1}) {
      assertThatThrownBy(() -> RegionIndex.location(segment, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> RegionIndex.location(1, 1L << 32))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void pagesThatAreAskedForAreBounded() {
    int pages = 2 * RegionIndex.MOST_WANTED;
    RegionIndex index = new RegionIndex(spec(pages));
    for (long page = 0; page < pages; page++) {
      index.setRoot(page, hash(1));
      assertThat(index.children(0, page, List.of())).isNull();
    }
    assertThat(index.takeWanted()).hasSize(RegionIndex.MOST_WANTED);
    assertThat(index.children(0, pages - 1, List.of())).isNull();
    assertThat(index.takeWanted()).as("asked again").containsExactly(pages - 1L);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 128, 20_000})
  void whatTheEpochBeforeHadNeedNotBeRead(long pages) {
    VolumeSpec spec = spec(pages);
    RegionIndex before = filled(spec, pages);
    byte[] certified = before.checkpointRoot();
    RegionIndex index = new RegionIndex(spec);
    assertThat(index.takeOver(before.checkpoints(), certified)).isTrue();
    assertThat(index.checkpointRoot()).isEqualTo(certified);
    long last = (pages - 1) / 3 * 3;
    before.setRoot(last, hash(4711));
    index.setRoot(last, hash(12));
    assertThat(index.checkpointRoot())
        .as("the copy is its own")
        .isNotEqualTo(certified)
        .isNotEqualTo(before.checkpointRoot());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 128, 20_000})
  void whatIsNotWhatWasCertifiedIsNotTaken(long pages) {
    VolumeSpec spec = spec(pages);
    RegionIndex before = filled(spec, pages);
    byte[] certified = before.checkpointRoot();
    before.setRoot(0, hash(4711)); // of a checkpoint that was being built
    RegionIndex index = new RegionIndex(spec);
    byte[] empty = index.checkpointRoot();
    assertThat(index.takeOver(before.checkpoints(), certified)).isFalse();
    assertThat(index.takeOver(null, certified)).isFalse();
    assertThat(index.checkpointRoot()).isEqualTo(empty);
  }
}
