package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.Test;

class DataNodeSpaceTest {
  private static DatanodeInfo withRoom(long capacity, long remaining) {
    DatanodeInfo info = new DatanodeInfo.DatanodeInfoBuilder().build();
    info.setCapacity(capacity);
    info.setRemaining(remaining);
    return info;
  }

  @Test
  void aDataNodeOfWhichTheNameNodeHasHeardNothingIsNotFull() {
    assertThat(DataNodeSpace.isKnownToBeFull(withRoom(0, 0), 1)).isFalse();
    assertThat(DataNodeSpace.isKnownToBeFull(withRoom(100, 9), 10)).isTrue();
    assertThat(DataNodeSpace.isKnownToBeFull(withRoom(100, 10), 10)).isFalse();
  }
}
