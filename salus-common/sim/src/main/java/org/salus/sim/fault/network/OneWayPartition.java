package org.salus.sim.fault.network;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/** Messages from a node to some others, or to the clients, are lost. The other direction works. */
final class OneWayPartition extends NodeFault {

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: " + node + " is not heard by some");
    c.nodes().stream()
        .filter(n -> !n.equals(node) && random.nextBoolean())
        .forEach(n -> c.block(node, n, true));
    c.block(node, Levers.CLIENT, random.nextBoolean());
  }

  @Override
  protected void end(Levers c, String node) {
    c.nodes().forEach(n -> c.block(node, n, false));
    c.block(node, Levers.CLIENT, false);
  }
}
