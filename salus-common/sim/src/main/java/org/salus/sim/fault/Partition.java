package org.salus.sim.fault;

import java.util.Random;

/** Nothing gets to a node nor from it, but for the master and ZooKeeper. */
final class Partition extends NodeFault {

  @Override
  void begin(Cluster c, String node, Random random) {
    c.trace("fault: " + node + " is cut off");
    cut(c, node, true);
  }

  @Override
  void end(Cluster c, String node) {
    cut(c, node, false);
  }

  private static void cut(Cluster c, String node, boolean on) {
    c.nodes().stream()
        .filter(n -> !n.equals(node))
        .forEach(
            n -> {
              c.block(node, n, on);
              c.block(n, node, on);
            });
    c.block(node, Cluster.CLIENT, on);
    c.block(Cluster.CLIENT, node, on);
  }
}
