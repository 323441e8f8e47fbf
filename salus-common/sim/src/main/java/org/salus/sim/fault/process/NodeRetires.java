package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.core.replacement.DataNodeState;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * An operator decommissions a DataNode or drains its server, and later takes it back. No server
 * fails, and the budget is not spent.
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
    DataNodeState state =
        random.nextBoolean() ? DataNodeState.DECOMMISSIONING : DataNodeState.DRAINED;
    c.trace("fault: the DataNode of " + node + " " + state.words());
    c.takeOut(node, state);
  }

  @Override
  public void heal(Levers c) {
    if (node != null) {
      c.takeOut(node, DataNodeState.IN_SERVICE);
      node = null;
    }
  }
}
