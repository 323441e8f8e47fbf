package org.salus.benchmarks.figures.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrafficTest {
  @Test
  void onlyWhatCameSinceAndOnlyTheHostsThatAreAskedForCount() {
    Traffic before = new Traffic(Map.of("a", 1L, "b", 2L), Map.of("a", 3L, "b", 4L), 5);
    Traffic after = new Traffic(Map.of("a", 11L, "b", 102L), Map.of("a", 1003L, "b", 4L), 10_005);
    Traffic between = after.since(before);
    assertThat(between)
        .isEqualTo(new Traffic(Map.of("a", 10L, "b", 100L), Map.of("a", 1000L, "b", 0L), 10_000));
    assertThat(between.sentBy(List.of("b"))).isEqualTo(100);
    assertThat(between.sentBy(List.of("a", "b"))).isEqualTo(110);
  }
}
