package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OncePerSecondTest {
  @Test
  void onlyOneLineASecondIsLoggedAndTellsOfTheOthers() {
    AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    OncePerSecond lines = new OncePerSecond(clock::get);
    assertThat(lines.take()).isZero();
    for (int i = 0; i < 7; i++) {
      assertThat(lines.take()).isEqualTo(-1);
    }
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(lines.take()).isEqualTo(7);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(5));
    assertThat(lines.take()).isZero();
    assertThat(OncePerSecond.words(7)).isEqualTo(" (and 7 like it)");
    assertThat(OncePerSecond.words(0)).isEmpty();
  }
}
