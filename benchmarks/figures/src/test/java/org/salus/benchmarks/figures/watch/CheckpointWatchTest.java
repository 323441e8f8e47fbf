package org.salus.benchmarks.figures.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CheckpointWatchTest {
  @Test
  void whatRegionsGainAndLoseIsCountedAndWhatIsNotKnownIsNot() {
    CheckpointWatch watch = new CheckpointWatch(List::of);
    List.of(List.of(0, 5), List.of(2, 5), List.of(-1, 2), List.of(3, 3)).forEach(watch::seen);
    assertThat(watch.added()).as("two in the first region, one in the second").isEqualTo(3);
    assertThat(watch.merged()).as("in the second region").isEqualTo(1);
  }
}
