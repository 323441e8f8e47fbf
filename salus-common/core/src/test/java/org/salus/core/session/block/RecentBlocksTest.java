package org.salus.core.session.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RecentBlocksTest {
  private static final int BLOCK = 4;
  private final RecentBlocks recent = new RecentBlocks(BLOCK, 4 * BLOCK);

  private static ByteBuffer data(String blocks) {
    return ByteBuffer.wrap(blocks.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
  }

  @Test
  void newestChangeOfABlockCounts() {
    recent.add(3, 5, data("aaaabbbb"));
    recent.add(4, 5, data("cccc"));
    assertThat(recent.get(2)).isNull();
    assertThat(recent.get(3)).isEqualTo(data("aaaa"));
    assertThat(recent.get(4)).isEqualTo(data("cccc"));
    assertThat(recent.get(5)).isNull();
  }

  @Test
  void zerosAreKnown() {
    recent.add(3, 5, data("aaaabbbb"));
    recent.add(4, 1000, null);
    assertThat(recent.get(3)).isEqualTo(data("aaaa"));
    assertThat(recent.get(4)).isEqualTo(data("\0\0\0\0"));
    assertThat(recent.get(999)).isEqualTo(data("\0\0\0\0"));
  }

  @Test
  void oldestChangesAreForgottenFirst() {
    recent.add(1, 3, data("aaaabbbb"));
    recent.add(8, 9, null);
    recent.add(2, 4, data("ccccdddd"));
    assertThat(recent.get(1)).isNull();
    assertThat(recent.get(2)).isEqualTo(data("cccc"));
    assertThat(recent.get(8)).isNotNull();
  }

  /** What it overwrites must not come back. */
  @Test
  void changeThatIsTooLargeForgetsWhatItOverwrites() {
    recent.add(1, 2, data("aaaa"));
    recent.add(0, 5, data("bbbbbbbbbbbbbbbbbbbb"));
    assertThat(recent.get(0)).isNull();
    assertThat(recent.get(1)).isNull();
    recent.add(1, 2, data("cccc"));
    assertThat(recent.get(1)).isEqualTo(data("cccc"));
  }
}
