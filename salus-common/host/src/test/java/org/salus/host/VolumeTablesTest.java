package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class VolumeTablesTest {
  @Test
  void aStartKeyIsTheRegionsNumberInEightBytes() {
    assertThat(VolumeTables.startKey(258)).containsExactly(0, 0, 0, 0, 0, 0, 1, 2);
    assertThat(VolumeTables.region(VolumeTables.startKey(9_999))).isEqualTo(9_999);
  }

  @Test
  void theFirstRegionOfATableHasTheEmptyKey() {
    assertThat(VolumeTables.region(new byte[0])).isZero();
  }

  @Test
  void foreignKeysAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> VolumeTables.region(new byte[3]));
  }
}
