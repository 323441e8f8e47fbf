package org.salus.sim.fault;

import java.util.Random;

/** Every client process dies, and another client mounts. */
final class ClientCrash implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: client crash");
    c.crashClients();
    c.mount();
  }
}
