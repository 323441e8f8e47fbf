package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;

class AccusationTest {
  private final Signer signer = new Signer(new byte[] {1});

  @Test
  void anAccusationIsGoodOnlyAsItsMountSignedIt() {
    Accusation said = new Accusation(1, 2, 3, 0, 5, Cause.STALLED, "what");
    byte[] signature = said.sign(signer);
    assertThat(said.isSigned(signature, signer)).isTrue();
    List<Accusation> others =
        List.of(
            new Accusation(9, 2, 3, 0, 5, Cause.STALLED, "what"),
            new Accusation(1, 9, 3, 0, 5, Cause.STALLED, "what"),
            new Accusation(1, 2, 9, 0, 5, Cause.STALLED, "what"),
            new Accusation(1, 2, 3, 1, 5, Cause.STALLED, "what"),
            new Accusation(1, 2, 3, 0, 9, Cause.STALLED, "what"),
            new Accusation(1, 2, 3, 0, 5, Cause.STALLED, "else"),
            new Accusation(1, 2, 3, 0, 5, Cause.WRONG_ANSWER, "what"));
    for (Accusation other : others) {
      assertThat(other.isSigned(signature, signer)).as(other.toString()).isFalse();
    }
    assertThat(said.isSigned(said.sign(new Signer(new byte[0])), signer))
        .as("another secret")
        .isFalse();
  }
}
