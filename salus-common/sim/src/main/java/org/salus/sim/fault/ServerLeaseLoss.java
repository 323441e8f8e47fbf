package org.salus.sim.fault;

import java.util.Random;

/** A region server's session in ZooKeeper ends: it stops by itself, and starts again at once. */
final class ServerLeaseLoss extends NodeFault {

  @Override
  void begin(Cluster c, String node, Random random) {
    c.trace("fault: " + node + " loses its lease");
    c.crash(node);
    c.bringBack(node);
  }

  @Override
  void end(Cluster c, String node) {
    // it is back already
  }
}
