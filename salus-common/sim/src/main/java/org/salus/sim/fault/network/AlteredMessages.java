package org.salus.sim.fault.network;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Some messages are altered on their way. */
final class AlteredMessages implements SimFault {

  private static final int PER_MILLE = 30;

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: messages are altered");
    c.alter(PER_MILLE);
  }

  @Override
  public void heal(Levers c) {
    c.alter(0);
  }
}
