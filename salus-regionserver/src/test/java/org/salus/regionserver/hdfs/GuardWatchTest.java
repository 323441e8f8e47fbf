package org.salus.regionserver.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;

class GuardWatchTest {
  private static final long PATIENCE_SECONDS = 60;

  private static boolean silent() throws IOException {
    throw new IOException("no answer");
  }

  @Test
  void aGuardThatIsRequiredMustBeThereAtTheStart() {
    assertThatThrownBy(() -> GuardWatch.start(() -> false, () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage(Reason.unguarded().words());
    assertThatThrownBy(() -> GuardWatch.start(GuardWatchTest::silent, () -> {}))
        .hasMessageContaining("does not say whether it is guarded: no answer");
  }

  /** The NameNode is down for a while, and then up without its guard. */
  @Test
  void aGuardThatIsLostIsToldAndSilenceIsNot() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch lost = new CountDownLatch(1);
    GuardWatch.NameNode restarting =
        () ->
            switch (asked.incrementAndGet()) {
              case 1 -> true;
              case 2 -> silent();
              case 3, 5, 6 -> false;
              case 4 -> true; // so the third answer was a mistake
              default -> throw new AssertionError("asked after the end");
            };
    try (GuardWatch watch = GuardWatch.start(restarting, lost::countDown)) {
      assertThat(lost.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(asked).hasValue(6);
    }
  }
}
