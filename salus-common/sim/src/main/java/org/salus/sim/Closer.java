package org.salus.sim;

import java.util.Random;

/**
 * An application that closes its handle now and then, mounted or not, and opens the volume again.
 * It does so in a third of the runs.
 */
final class Closer {
  private static final int RUNS = 3;

  /** One of so many handles is closed just after its session has ended. */
  private static final int BETWEEN = 4;

  private final Simulation sim;
  private final Random random;
  private final boolean closes;

  Closer(Simulation sim, Random random) {
    this.sim = sim;
    this.random = random;
    this.closes = random.nextInt(RUNS) == 0;
  }

  void start() {
    if (closes) {
      closeLater();
    }
  }

  private void closeLater() {
    sim.clock.after(
        Clock.MILLI * (20 + random.nextInt(1_000)),
        () -> {
          close(sim.clients().newest());
          closeLater();
        });
  }

  /** A client's session has ended, and the client mounts the volume again. */
  void unmounted(SimClient client) {
    if (closes && random.nextInt(BETWEEN) == 0) {
      sim.clock.after(sim.smallDelay(), () -> close(client));
    }
  }

  private void close(SimClient client) {
    if (sim.isChaos() && client.mayClose()) {
      client.close();
    }
  }
}
