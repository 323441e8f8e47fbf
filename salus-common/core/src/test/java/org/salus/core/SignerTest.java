package org.salus.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SignerTest {
  private static final ByteBuffer TEXT = ByteBuffer.wrap(new byte[] {1, 2, 3});

  @Test
  void whoeverNamesSignersWithoutEndTakesABoundedNumberOfKeys() {
    Signer signer = new Signer(new byte[] {1});
    byte[] first = signer.sign("first", TEXT);
    for (int i = 0; i < 3 * Signer.MOST_KEYS; i++) {
      signer.verifies("signer " + i, first, TEXT);
      assertThat(signer.keys()).isLessThanOrEqualTo(Signer.MOST_KEYS);
    }
    assertThat(signer.verifies("first", first, TEXT)).as("its key is made again").isTrue();
  }

  @Test
  void threadsThatShareASignerGetRightSignatures() {
    Signer shared = new Signer(new byte[] {1});
    byte[] right = new Signer(new byte[] {1}).sign("a", TEXT);
    assertThat(
            IntStream.range(0, 200_000)
                .parallel()
                .filter(i -> !shared.verifies("a", right, TEXT))
                .count())
        .as("right signatures that were refused")
        .isZero();
  }
}
