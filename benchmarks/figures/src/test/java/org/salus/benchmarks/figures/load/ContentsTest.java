package org.salus.benchmarks.figures.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ContentsTest {
  private final Contents contents = new Contents(7);

  @Test
  void aSeedIsEnoughToKnowThemAgain() throws IOException {
    new Contents(7).require(contents.of(3, 2), 3, 2);
    assertThat(contents.of(3, 2)).hasSize(4096).isEqualTo(contents.of(3, 2));
  }

  @Test
  void anotherBlockOrVersionOrSeedOrByteIsFound() {
    byte[] torn = contents.of(3, 2);
    torn[4095] ^= 1;
    byte[][] others = {
      contents.of(4, 2),
      contents.of(2, 3),
      contents.of(3, 3),
      new Contents(8).of(3, 2),
      torn,
      new byte[4096],
      new byte[0],
      null
    };
    for (byte[] wrong : others) {
      assertThatThrownBy(() -> contents.require(wrong, 3, 2))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("block 3")
          .hasMessageContaining("something else")
          .hasMessageContaining("seed 7");
    }
  }

  @Test
  void aStaleBlockIsCalledSo() {
    assertThatThrownBy(() -> contents.require(contents.of(3, 1), 3, 2))
        .hasMessageContaining("the one before");
  }
}
