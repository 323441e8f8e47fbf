package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** All servers and clients die; another client mounts. */
final class EverythingCrashes implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.trace("fault: everything crashes");
      c.crashClients();
      c.crashAll();
      c.mount();
    }
  }
}
