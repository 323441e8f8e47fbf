package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/**
 * A node's region server and DataNode die and come back later. The master may not have noted the
 * crash by then.
 */
final class ServerCrash extends NodeFault {

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: " + node + " crashes");
    c.crash(node);
  }

  @Override
  protected void end(Levers c, String node) {
    c.bringBack(node);
  }
}
