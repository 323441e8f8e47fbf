package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * An operator decommissions a DataNode, and later takes it back. No server fails, and the budget is
 * not spent.
 */
final class NodeRetires implements SimFault {
  private String node;

  @Override
  public void inject(Levers c, Random random) {
    String chosen = c.nodes().get(random.nextInt(c.nodes().size()));
    if (!c.budget().mayBeTakenOut(chosen)) {
      return;
    }
    node = chosen;
    c.trace("fault: the DataNode of " + node + " is decommissioned");
    c.retire(node, true);
  }

  @Override
  public void heal(Levers c) {
    if (node != null) {
      c.retire(node, false);
      node = null;
    }
  }
}
