package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * What DataNodes report of the stamps of their replicas does not reach the NameNode for a while. So
 * new epochs do not serve.
 */
final class LateReports implements SimFault {
  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: no report of a stamp reaches the NameNode");
    c.reportStamps(false);
  }

  @Override
  public void heal(Levers c) {
    c.reportStamps(true);
  }
}
