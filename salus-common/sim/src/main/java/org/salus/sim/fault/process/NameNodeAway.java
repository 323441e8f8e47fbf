package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The NameNode answers nobody for a while, alone or while all servers restart. Then it has perhaps
 * been started again, and lists no replica that its DataNode has not reported since.
 */
final class NameNodeAway implements SimFault {
  private boolean restarts;

  @Override
  public void inject(Levers c, Random random) {
    restarts = random.nextBoolean();
    c.trace("fault: the NameNode is away" + (restarts ? " and starts again" : ""));
    c.nameNodeAway(true);
    if (random.nextInt(3) == 0 && c.budget().mayAllCrash()) {
      c.trace("fault: all servers restart meanwhile");
      c.crashAll();
    }
  }

  @Override
  public void heal(Levers c) {
    c.nameNodeAway(false);
    if (restarts) {
      c.restartNameNode();
    }
  }
}
