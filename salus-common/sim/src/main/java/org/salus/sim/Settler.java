package org.salus.sim;

import java.util.Random;

/**
 * The master settles what a writer has left that was not closed, some time after the volume has no
 * writer any more. It does so in half of the runs.
 */
final class Settler {
  private final Simulation sim;
  private final Random random;
  private final boolean settles;

  Settler(Simulation sim, Random random) {
    this.sim = sim;
    this.random = random;
    this.settles = random.nextBoolean();
  }

  void start() {
    if (settles) {
      lookLater();
    }
  }

  private void lookLater() {
    sim.clock.after(
        Clock.MILLI * (1 + random.nextInt(100)),
        () -> {
          if (sim.isChaos() && sim.zooKeeper().isUnsettled()) {
            sim.clients().settle();
          }
          lookLater();
        });
  }
}
