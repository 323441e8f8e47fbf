package org.salus.sim.fault;

import java.util.Random;

/** A second client takes the volume over from one that is alive. */
final class ClientTakeover implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: second client takes the volume over");
    c.mount();
  }
}
