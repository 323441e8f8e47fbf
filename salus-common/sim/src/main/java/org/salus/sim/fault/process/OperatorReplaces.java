package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** An operator takes a right member out. No server fails, and the budget is not spent. */
final class OperatorReplaces implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    String node = c.nodes().get(random.nextInt(c.nodes().size()));
    if (c.budget().mayBeTakenOut(node)) {
      c.trace("fault: an operator replaces " + node);
      c.replaceMember(node);
    }
  }
}
