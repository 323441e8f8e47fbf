package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** The session of the writer in ZooKeeper ends, and with it its lock of the volume. */
final class WriterLeaseLoss implements SimFault {

  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: the writer loses its lease");
    c.loseWriterLease();
  }
}
