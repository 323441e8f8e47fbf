package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Power fails everywhere at once, at any moment: every volume mounts, with a prefix that has all that was durable. */
class PowerCutTest {
  private static final int POINTS = Integer.getInteger("salus.sim.powercuts", 200);
  private static final long LATEST = 400 * Clock.MILLI;

  @Test
  void aVolumeMountsAfterAPowerCutAtAnyPoint() {
    long first = Long.getLong("salus.sim.start", System.nanoTime());
    System.out.println("cutting power in seeds " + first + " to " + (first + POINTS - 1) + "; repeat with -Dsalus.sim.start=" + first);
    TreeSet<Long> wentBack = new TreeSet<>();
    for (long seed = first; seed < first + POINTS; seed++) {
      long of = seed;
      Simulation s = new Simulation(seed, SimOptions.calm().withTrace(line -> {
        if (line.contains("goes back")) {
          wentBack.add(of);
        }
      }));
      s.planPowerCut(Clock.MILLI + new Random(seed).nextLong(LATEST));
      try {
        s.run();
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    System.out.println("in " + wentBack.size() + " of them a mount went back behind what had been acknowledged and not flushed");
    assertThat(wentBack).isNotEmpty();
  }
}
