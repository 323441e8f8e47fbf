package org.salus.sim.fault;

import java.util.Random;

/** Every region server and DataNode dies and starts again. */
final class AllServersCrash implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    if (c.budget().mayAllCrash()) {
      c.trace("fault: all servers crash");
      c.crashAll();
    }
  }
}
