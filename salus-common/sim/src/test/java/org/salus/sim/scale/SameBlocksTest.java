package org.salus.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.session.block.HashedBlocks;
import org.salus.core.tree.Hashes;

class SameBlocksTest {
  private final SameBlocks same = new SameBlocks();

  @Test
  void theyAreWhatASessionMakesOfThem() {
    HashedBlocks real = new HashedBlocks();
    List<ByteBuffer> batch = Collections.nCopies(256, same.block());
    assertThat(same.join(batch)).isEqualTo(real.join(batch));
    assertThat(same.leaf(same.block())).isEqualTo(real.leaf(same.block()));
    assertThat(Hashes.isZero(same.leaf(same.block()))).as("zeros are not sent").isFalse();
  }

  @Test
  void nobodyChangesWhatAllHave() {
    assertThatThrownBy(() -> same.block().put(0, (byte) 7))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThatThrownBy(() -> same.join(List.of(same.block())).put(0, (byte) 7))
        .isInstanceOf(ReadOnlyBufferException.class);
  }
}
