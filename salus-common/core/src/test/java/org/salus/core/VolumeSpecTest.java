package org.salus.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VolumeSpecTest {

  @ParameterizedTest
  @CsvSource({"4096, 1000, 4", "4096, 4294967296, 7", "262144, 33, 3", "65536, 1, 1"})
  void everyBlockHasAPlaceOfItsOwnInOneRegion(int blockSize, long blocks, int regions) {
    VolumeSpec v = new VolumeSpec("v", 1, blockSize, blocks, regions, false, 64 << 20);
    for (long b = 0; b < Math.min(blocks, 5000); b++) {
      assertThat(v.block(v.region(b), v.local(b))).isEqualTo(b);
      assertThat(v.local(b)).isLessThan(v.regionBlocks());
    }
    assertThat(v.local(blocks - 1)).isLessThan(v.regionBlocks());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2048, 4097, 6144, 524288, -4096})
  void refusesBlockSizesThatAreNoPowerOfTwoInRange(int size) {
    assertThatThrownBy(() -> new VolumeSpec("v", 1, size, 10, 1, false, 64 << 20))
        .hasMessageContaining("power of two from 4K to 256K");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "../x", "-a", "é", "a/b"})
  void refusesOddNames(String name) {
    assertThatThrownBy(() -> new VolumeSpec(name, 1, 4096, 10, 1, false, 64 << 20))
        .hasMessageContaining("volume name");
  }

  @Test
  void refusesMoreThanSixteenTebibytesAndNothing() {
    assertThat(new VolumeSpec("v", 1, 4096, 1L << 32, 4, false, 64 << 20).size())
        .isEqualTo(VolumeSpec.MAX_BYTES);
    assertThatThrownBy(() -> new VolumeSpec("v", 1, 4096, (1L << 32) + 1, 4, false, 64 << 20))
        .hasMessageContaining("16T");
    assertThatThrownBy(() -> new VolumeSpec("v", 1, 4096, 0, 4, false, 64 << 20))
        .hasMessageContaining("16T");
  }
}
