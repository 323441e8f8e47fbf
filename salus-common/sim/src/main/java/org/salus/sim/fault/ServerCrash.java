package org.salus.sim.fault;

import java.util.Random;

/**
 * A node's region server and DataNode die and come back later; the master may or may not have noted
 * it.
 */
final class ServerCrash extends NodeFault {

  @Override
  void begin(Cluster c, String node, Random random) {
    c.trace("fault: " + node + " crashes");
    c.crash(node);
  }

  @Override
  void end(Cluster c, String node) {
    c.bringBack(node);
  }
}
