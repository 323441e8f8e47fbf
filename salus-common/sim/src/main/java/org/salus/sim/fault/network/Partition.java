package org.salus.sim.fault.network;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/**
 * A node is cut off from all others and from the clients, but not from the master and ZooKeeper.
 */
final class Partition extends NodeFault {

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: " + node + " is cut off");
    cut(c, node, true);
  }

  @Override
  protected void end(Levers c, String node) {
    cut(c, node, false);
  }

  private static void cut(Levers c, String node, boolean on) {
    c.nodes().stream()
        .filter(n -> !n.equals(node))
        .forEach(
            n -> {
              c.block(node, n, on);
              c.block(n, node, on);
            });
    c.block(node, Levers.CLIENT, on);
    c.block(Levers.CLIENT, node, on);
  }
}
