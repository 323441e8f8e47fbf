package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Every client process dies, and another client mounts. */
final class ClientCrash implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: client crash");
    c.crashClients();
    c.mount();
  }
}
