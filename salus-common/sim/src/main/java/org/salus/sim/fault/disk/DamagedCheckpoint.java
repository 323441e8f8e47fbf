package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * Some of a node's replicas of checkpoints no longer match their checksums. While there are no
 * checkpoints yet, the fault waits.
 */
final class DamagedCheckpoint implements SimFault {
  private Random random;
  private boolean done;

  @Override
  public void inject(Levers c, Random draw) {
    random = draw;
    damage(c);
  }

  @Override
  public void heal(Levers c) {
    damage(c);
  }

  private void damage(Levers c) {
    List<String> nodes =
        c.nodes().stream()
            .filter(n -> c.checkpointReplicas(n) > 0 && c.budget().mayBeDamaged(n))
            .toList();
    if (done || nodes.isEmpty()) {
      return;
    }
    done = true;
    String node = nodes.get(random.nextInt(nodes.size()));
    c.trace("fault: damaged checkpoints on " + node);
    c.budget().damages(node);
    int n = c.checkpointReplicas(node);
    for (int i = 1 + random.nextInt(n); i > 0; i--) {
      c.damageCheckpoint(node, random.nextInt(n), random);
    }
  }
}
