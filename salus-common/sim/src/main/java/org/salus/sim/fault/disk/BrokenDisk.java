package org.salus.sim.fault.disk;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Every read and write of a node's disk fails for a while, as with EIO. */
final class BrokenDisk implements SimFault {
  private String node;

  @Override
  public void inject(Levers c, Random random) {
    String chosen = c.nodes().get(random.nextInt(c.nodes().size()));
    if (c.isUp(chosen) && c.budget().mayBeDamaged(chosen)) {
      node = chosen;
      c.trace("fault: the disk of " + node + " fails");
      c.budget().damages(node);
      c.breakDisk(node, true);
    }
  }

  @Override
  public void heal(Levers c) {
    if (node != null) {
      c.breakDisk(node, false);
    }
  }
}
