package org.salus.sim.fault;

import java.util.Random;

/** All servers and clients die; another client mounts. */
final class EverythingCrashes implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.trace("fault: everything crashes");
      c.crashClients();
      c.crashAll();
      c.mount();
    }
  }
}
