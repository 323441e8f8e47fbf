package org.salus.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OncePerSecondTest {
  @Test
  void onlyOneLineASecondIsLoggedAndTellsOfTheOthers() {
    AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    OncePerSecond lines = new OncePerSecond(clock::get);
    List<String> logged = new ArrayList<>();
    lines.log(logged::add);
    assertThat(logged).containsExactly("");
    for (int i = 0; i < 7; i++) {
      lines.log(logged::add);
    }
    assertThat(logged).hasSize(1);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    lines.log(logged::add);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(5));
    lines.log(logged::add);
    assertThat(logged).containsExactly("", " (and 7 like it)", "");
  }
}
