package org.salus.sim.fault;

import java.util.Random;

/** A node's processes stand still, are replaced perhaps, and go on unaware. */
final class ServerPause extends NodeFault {

  private static final long MILLI = 1_000_000;

  @Override
  void begin(Cluster c, String node, Random random) {
    c.trace("fault: " + node + " stands still");
    c.pause(node, MILLI * (50 + random.nextInt(2000)));
  }

  @Override
  void end(Cluster c, String node) {
    // it goes on by itself
  }
}
