package org.salus.client;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OpenOptionsTest {
  private static final Duration NEGATIVE = Duration.ofSeconds(-1);

  @Test
  void negativeChoiceIsNamedAlone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OpenOptions.DEFAULT.withPatience(NEGATIVE))
        .withMessage("patience PT-1S: use a positive time, or zero not to wait");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OpenOptions.DEFAULT.withRequestTimeout(NEGATIVE))
        .withMessage("request timeout PT-1S: use a positive time, or zero for the setting");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OpenOptions.DEFAULT.withMaxOutstandingBytes(-1))
        .withMessageStartingWith("most outstanding bytes -1:");
  }

  @Test
  void missingTimeIsNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> OpenOptions.DEFAULT.withPatience(null))
        .withMessage("patience");
    assertThatNullPointerException()
        .isThrownBy(() -> OpenOptions.DEFAULT.withRequestTimeout(null))
        .withMessage("requestTimeout");
  }
}
