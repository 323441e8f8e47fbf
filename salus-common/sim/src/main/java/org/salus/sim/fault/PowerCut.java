package org.salus.sim.fault;

import java.util.Random;

/** Clients and servers lose power, and with it some of what was not synced. */
final class PowerCut implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.cutPower();
    }
  }
}
