package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** A second client takes the volume over from a live one. */
final class ClientTakeover implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: second client takes the volume over");
    c.mount();
  }
}
