package org.salus.sim.fault;

import java.util.Random;

/** Some of a node's replicas of checkpoints no longer are what their checksums say. */
final class DamagedCheckpoint implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    String node = c.nodes().get(random.nextInt(c.nodes().size()));
    int n = c.checkpointReplicas(node);
    if (n > 0 && c.budget().mayBeDamaged(node)) {
      c.trace("fault: damaged checkpoints on " + node);
      c.budget().damages(node);
      for (int i = 1 + random.nextInt(n); i > 0; i--) {
        c.damageCheckpoint(node, random.nextInt(n));
      }
    }
  }
}
