package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Two or more clients take the volume from each other before any of them has mounted it. */
final class FightingClients implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: clients fight for the mount");
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      c.mount();
    }
  }
}
