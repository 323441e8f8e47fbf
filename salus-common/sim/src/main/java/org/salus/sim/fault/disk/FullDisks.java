package org.salus.sim.fault.disk;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** The DataNodes have no room for another segment (ENOSPC). */
final class FullDisks implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: no room for segments");
    c.fillDisks(true);
  }

  @Override
  public void heal(Levers c) {
    c.fillDisks(false);
  }
}
