package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;

class GuardWatchTest {
  private static final long PATIENCE_SECONDS = 30;

  private static boolean silent() throws IOException {
    throw new IOException("no answer");
  }

  @Test
  void aGuardThatIsRequiredMustBeThereAtTheStart() {
    assertThatThrownBy(() -> GuardWatch.start(() -> false, true, () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage(Reason.unguarded(true).words());
    assertThatThrownBy(() -> GuardWatch.start(GuardWatchTest::silent, true, () -> {}))
        .hasMessageContaining("does not say whether it is guarded: no answer");
  }

  @Test
  void withoutRequirementAnEngineStartsAndGoesOn() throws Exception {
    CountDownLatch asked = new CountDownLatch(3);
    AtomicInteger lost = new AtomicInteger();
    GuardWatch.NameNode unguarded =
        () -> {
          asked.countDown();
          return false;
        };
    try (GuardWatch watch = GuardWatch.start(unguarded, false, lost::incrementAndGet)) {
      assertThat(asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    GuardWatch.start(GuardWatchTest::silent, false, lost::incrementAndGet).close();
    assertThat(lost).hasValue(0);
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
              default -> false;
            };
    try (GuardWatch watch = GuardWatch.start(restarting, true, lost::countDown)) {
      assertThat(lost.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(asked).hasValue(3);
    }
  }
}
