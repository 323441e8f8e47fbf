package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * After power fails everywhere at any moment, every volume mounts with a prefix that has everything
 * durable.
 */
@Tag("long")
class SimulatedPowerCutTest {
  private static final int POINTS = Integer.getInteger("salus.sim.powercuts", 400);
  private static final long LATEST = 400 * Clock.MILLI;

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void aVolumeMountsAfterAPowerCutAtAnyPoint() throws InterruptedException {
    Set<Long> wentBack = ConcurrentHashMap.newKeySet();
    Seeds.each(
        "power cuts",
        POINTS,
        seed -> {
          Simulation s =
              new Simulation(
                  seed,
                  SimOptions.calm()
                      .withTrace(
                          line -> {
                            if (line.contains("goes back")) {
                              wentBack.add(seed);
                            }
                          }));
          s.planPowerCut(Clock.MILLI + new Random(seed).nextLong(LATEST));
          s.run();
        });
    System.out.println(
        "in "
            + wentBack.size()
            + " of them a mount went back behind what had been acknowledged and not flushed");
    assertThat(wentBack).isNotEmpty();
  }
}
