package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VolumeFilesTest {

  @Test
  void largeBlockNeedsLittleMoreThanItsOwnRoom() {
    long segment = 64L << 20;
    long merged = 100L << 30;
    assertThat(VolumeFiles.needed(segment)).isEqualTo(2 * segment);
    assertThat(VolumeFiles.needed(merged)).isLessThan(merged * 101 / 100);
  }
}
