package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** The clock of a node, or of the clients, jumps forward by up to a minute. */
final class ClockJump implements SimFault {

  private static final int MINUTE_MILLIS = 60_000;
  private static final long MILLI = 1_000_000;

  @Override
  public void inject(Levers c, Random random) {
    int n = random.nextInt(c.nodes().size() + 1);
    String node = n == c.nodes().size() ? Levers.CLIENT : c.nodes().get(n);
    c.trace("fault: the clock of " + node + " jumps");
    c.jumpClock(node, MILLI * random.nextInt(MINUTE_MILLIS));
  }
}
