package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Clients and servers lose power, and some of what was not synced is lost. */
final class PowerCut implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.cutPower();
    }
  }
}
