package org.salus.sim.fault.wrong;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * A node that sends again what it has sent or got before: to the same receiver, or to another one,
 * or with another one's address. Its members are right otherwise.
 */
public final class ReplaysMessages implements SimFault {
  private static final long MILLI = 1_000_000;

  private String node;

  @Override
  public void inject(Levers c, Random random) {
    String chosen = c.nodes().get(random.nextInt(c.nodes().size()));
    if (c.isUp(chosen) && c.budget().mayBeWrong(chosen)) {
      node = chosen;
      c.trace("fault: " + node + " replays messages");
      c.budget().turnsWrong(node);
      c.replay(node, true);
    }
  }

  @Override
  public void heal(Levers c) {
    if (node != null) {
      c.replay(node, false);
      String right = node;
      c.after(500 * MILLI, () -> c.whenWholeWith(right, () -> c.budget().isRightAgain(right)));
      node = null;
    }
  }
}
