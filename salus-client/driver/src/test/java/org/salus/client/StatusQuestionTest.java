package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StatusQuestionTest {
  private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(500);

  @Test
  void volumeThatIsAskedAfterTheDeadlineHasTimeToAnswerOnce() {
    assertThat(StatusQuestion.patience(0, -1)).isEqualTo(ROUND);
    assertThat(StatusQuestion.patience(1, -1)).isZero();
  }

  @Test
  void laterQuestionsEndWithTheDeadline() {
    assertThat(StatusQuestion.patience(1, 7)).isEqualTo(7);
    assertThat(StatusQuestion.patience(3, 10 * ROUND)).isEqualTo(ROUND);
  }
}
