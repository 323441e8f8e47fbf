package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.NodeFault;

/**
 * Nobody hears a node for a moment, and then it crashes. If its member was the last of a chain, it
 * has certified what no other member knows.
 */
final class UnheardCrash extends NodeFault {
  private static final long MILLI = 1_000_000;

  private boolean isOver;

  @Override
  protected void begin(Levers c, String node, Random random) {
    c.trace("fault: nobody hears " + node + ", which then crashes");
    c.nodes().forEach(n -> c.block(node, n, !n.equals(node)));
    c.after(
        MILLI * (5 + random.nextInt(50)),
        () -> {
          if (!isOver) {
            c.crash(node);
          }
        });
  }

  @Override
  protected void end(Levers c, String node) {
    isOver = true;
    c.nodes().forEach(n -> c.block(node, n, false));
    c.bringBack(node);
  }
}
