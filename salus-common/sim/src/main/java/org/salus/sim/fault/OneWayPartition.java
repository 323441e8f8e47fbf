package org.salus.sim.fault;

import java.util.Random;

/**
 * What a node sends to some others, or to the clients, does not come; the other direction works.
 */
final class OneWayPartition extends NodeFault {

  @Override
  void begin(Cluster c, String node, Random random) {
    c.trace("fault: " + node + " is not heard by some");
    c.nodes().stream()
        .filter(n -> !n.equals(node) && random.nextBoolean())
        .forEach(n -> c.block(node, n, true));
    c.block(node, Cluster.CLIENT, random.nextBoolean());
  }

  @Override
  void end(Cluster c, String node) {
    c.nodes().forEach(n -> c.block(node, n, false));
    c.block(node, Cluster.CLIENT, false);
  }
}
