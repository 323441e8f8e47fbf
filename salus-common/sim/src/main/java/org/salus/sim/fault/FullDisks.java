package org.salus.sim.fault;

import java.util.Random;

/** The DataNodes have no room for another segment. */
final class FullDisks implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: no room for segments");
    c.fillDisks(true);
  }

  @Override
  public void heal(Cluster c) {
    c.fillDisks(false);
  }
}
