package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** The writer's session in ZooKeeper ends, and its lease of the volume with it. */
final class WriterLeaseLoss implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: the writer loses its lease");
    c.loseWriterLease();
  }
}
