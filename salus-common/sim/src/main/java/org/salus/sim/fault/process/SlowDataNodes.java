package org.salus.sim.fault.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * Two DataNodes are too slow for a recovery, which begins at once or whenever it may. They forget
 * what their members have said to them.
 */
final class SlowDataNodes implements SimFault {
  private List<String> slow = List.of();

  @Override
  public void inject(Levers c, Random random) {
    List<String> all = new ArrayList<>(c.nodes());
    Collections.shuffle(all, random);
    slow = List.copyOf(all.subList(0, 2));
    c.trace("fault: the DataNodes of " + slow + " are slow");
    slow.forEach(node -> c.slowDataNode(node, true));
    if (random.nextBoolean() && c.budget().mayAllCrash()) {
      c.trace("fault: all servers restart meanwhile");
      c.crashAll();
    }
  }

  @Override
  public void heal(Levers c) {
    slow.forEach(node -> c.slowDataNode(node, false));
  }
}
