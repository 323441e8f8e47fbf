package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/**
 * A region server's session in ZooKeeper ends. The server stops by itself and starts again at once.
 */
final class ServerLeaseLoss extends NodeFault {

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: " + node + " loses its lease");
    c.crash(node);
    c.bringBack(node);
  }

  @Override
  protected void end(Levers c, String node) {
    // the server is back already
  }
}
