package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The NameNode restarts, alone or with all servers. It lists no replica that its DataNode has not
 * reported since.
 */
final class NameNodeRestart implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: the NameNode restarts");
    c.restartNameNode();
    if (random.nextBoolean() && c.budget().mayAllCrash()) {
      c.trace("fault: all servers restart with it");
      c.crashAll();
    }
  }

  @Override
  public void heal(Levers c) {
    // the reports come by themselves
  }
}
