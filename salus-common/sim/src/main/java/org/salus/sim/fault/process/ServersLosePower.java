package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** All servers lose power, and the client, whose host does not, goes on or mounts again. */
final class ServersLosePower implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.cutPowerOfServers();
    }
  }
}
