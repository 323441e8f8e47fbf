package org.salus.benchmarks.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import org.junit.jupiter.api.Test;

class ProgressTest {

  @Test
  void progressTellsTheTimeLeftFromTheSecondStepOn() {
    List<String> said = new ArrayList<>();
    long[] now = {0};
    Progress progress = new Progress(said::add, 4, () -> now[0]);
    progress.next(0, 3, "a");
    now[0] = 10_000_000_000L;
    progress.next(1, 3, "b");
    now[0] = 300_000_000_000L;
    progress.next(2, 3, "c");
    assertThat(said)
        .containsExactly(
            "warming up: a (1 of 4)",
            "round 1 of 3: b (2 of 4, about 30 s left)",
            "round 2 of 3: c (3 of 4, about 5 min left)");
  }

  @Test
  void progressOfSomethingLongIsToldNowAndThen() {
    List<String> said = new ArrayList<>();
    long[] now = {0};
    DoubleConsumer progress = Progress.ofShare(said::add, "predicting", () -> now[0]);
    for (int percent = 1; percent <= 100; percent++) {
      now[0] += 1_000_000_000L;
      progress.accept(percent / 100.0);
    }
    assertThat(said)
        .containsExactly(
            "predicting",
            "predicting: 20 % done, about 80 s left",
            "predicting: 40 % done, about 60 s left",
            "predicting: 60 % done, about 40 s left",
            "predicting: 80 % done, about 20 s left",
            "predicting: 100 % done, about 0 s left");
  }
}
