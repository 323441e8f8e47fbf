package org.salus.sim.fault;

import java.util.Random;

/** Some messages are altered on their way. */
final class AlteredMessages implements Fault {

  private static final int PER_MILLE = 30;

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: messages are altered");
    c.alter(PER_MILLE);
  }

  @Override
  public void heal(Cluster c) {
    c.alter(0);
  }
}
