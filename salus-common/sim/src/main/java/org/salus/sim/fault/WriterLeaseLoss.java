package org.salus.sim.fault;

import java.util.Random;

/** The session of the writer in ZooKeeper ends, and with it its lock of the volume. */
final class WriterLeaseLoss implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    c.trace("fault: the writer loses its lease");
    c.loseWriterLease();
  }
}
