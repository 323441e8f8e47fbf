package org.salus.sim.fault;

import java.util.Random;

/** Two clients or more take the volume from each other before any of them has mounted it. */
final class FightingClients implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: clients fight for the mount");
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      c.mount();
    }
  }
}
