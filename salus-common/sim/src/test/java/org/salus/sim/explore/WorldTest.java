package org.salus.sim.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.sim.SimOptions;
import org.salus.sim.explore.automaton.Digest;

class WorldTest {

  @Test
  void everyWorldIsWhatItsBytesSay() {
    Scenario s = Scenario.standard().get(0);
    ExploredCluster cluster = new ExploredCluster(s, SimOptions.standard());
    Steps steps = new Steps(cluster);
    Choices choices = new Choices(cluster, steps);
    Finish finish = new Finish(cluster, steps, choices);
    List<World> seen = new ArrayList<>();
    finish.watch((w, choice) -> seen.add(w));
    World begin = finish.begin();
    finish.drain(begin);
    assertThat(seen).hasSizeGreaterThan(50);
    for (World w : seen) {
      assertThat(begin.unpack(w.pack())).usingRecursiveComparison().isEqualTo(w);
    }
    assertThat(seen.stream().map(w -> Digest.of(w.pack()))).doesNotHaveDuplicates();
  }
}
