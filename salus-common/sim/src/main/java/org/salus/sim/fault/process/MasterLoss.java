package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** No master is active for a while. */
final class MasterLoss implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: the master is gone");
    c.masterAway(true);
  }

  @Override
  public void heal(Levers c) {
    c.masterAway(false);
  }
}
