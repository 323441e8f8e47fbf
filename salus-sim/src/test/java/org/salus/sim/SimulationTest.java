package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SimulationTest {
  private static final int SEEDS = Integer.getInteger("salus.sim.seeds", 400);

  @Test
  void freshSeedsRunWithoutAViolation() {
    long first = Long.getLong("salus.sim.start", System.nanoTime());
    System.out.println("simulating seeds " + first + " to " + (first + SEEDS - 1) + "; repeat with -Dsalus.sim.start=" + first);
    for (long seed = first; seed < first + SEEDS; seed++) {
      try {
        new Simulation(seed, SimOptions.standard()).run();
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage() + "; replay: bin/salus sim --seed " + seed + " --trace", e);
      }
    }
  }

  @Test
  void oneSeedRunTwiceGivesTheSameTrace() {
    for (long seed = 11; seed < 16; seed++) {
      assertThat(trace(seed)).hasSizeGreaterThan(100).isEqualTo(trace(seed));
    }
  }

  private static List<String> trace(long seed) {
    List<String> lines = new ArrayList<>();
    new Simulation(seed, SimOptions.standard().withTrace(lines::add)).run();
    return lines;
  }
}
