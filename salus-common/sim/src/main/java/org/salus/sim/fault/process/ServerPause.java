package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/**
 * A node's processes stand still and go on unaware. Their members may have been replaced meanwhile.
 */
final class ServerPause extends NodeFault {

  private static final long MILLI = 1_000_000;

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: " + node + " stands still");
    c.pause(node, MILLI * (50 + random.nextInt(2000)));
  }

  @Override
  protected void end(Levers c, String node) {
    // the pause ends by itself
  }
}
