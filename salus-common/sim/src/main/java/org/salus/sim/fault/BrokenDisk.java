package org.salus.sim.fault;

import java.util.Random;

/** Every read and write of a node's disk fails for a while, as with EIO. */
final class BrokenDisk implements Fault {
  private String node;

  @Override
  public void inject(Cluster c, Random random) {
    String chosen = c.nodes().get(random.nextInt(c.nodes().size()));
    if (c.isUp(chosen) && c.budget().mayBeDamaged(chosen)) {
      node = chosen;
      c.trace("fault: the disk of " + node + " fails");
      c.budget().damages(node);
      c.breakDisk(node, true);
    }
  }

  @Override
  public void heal(Cluster c) {
    if (node != null) {
      c.breakDisk(node, false);
    }
  }
}
