package org.salus.sim.fault;

import java.util.Random;

/** No master is active for a while. */
final class MasterLoss implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: the master is gone");
    c.masterAway(true);
  }

  @Override
  public void heal(Cluster c) {
    c.masterAway(false);
  }
}
