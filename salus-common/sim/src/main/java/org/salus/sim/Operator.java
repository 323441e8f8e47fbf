package org.salus.sim;

import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.StatusQuery;

/**
 * Asks every member for its status again and again, whatever the members are doing. It does so in
 * half of the runs.
 */
final class Operator {
  /** A mount epoch that no session has, because mount epochs are positive. */
  static final long NO_MOUNT = -1;

  private final Simulation sim;
  private final Random random;

  Operator(Simulation sim, Random random) {
    this.sim = sim;
    this.random = random;
  }

  void start() {
    if (random.nextBoolean()) {
      askLater();
    }
  }

  private void askLater() {
    sim.clock.after(
        Clock.MILLI * (1 + random.nextInt(random.nextInt(10) == 0 ? 2_000 : 20)),
        () -> {
          for (int r = 0; r < sim.spec.regionCount(); r++) {
            for (int place = 0;
                place < sim.master().memberNodes(sim.spec.regionId(r)).size();
                place++) {
              sim.ask(
                  new Send(
                      new Endpoint.Member(sim.spec.regionId(r), place), new StatusQuery(0), null));
            }
          }
          askLater();
        });
  }
}
