package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Every region server and DataNode dies and starts again. */
final class AllServersCrash implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.trace("fault: all servers crash");
      c.crashAll();
    }
  }
}
