package org.salus.sim.fault.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/** Silent damage of replicas on one node's disk. */
abstract class DiskDamage implements SimFault {

  /** Damages one replica of a log segment. */
  abstract void damage(Levers levers, List<Levers.LogReplica> all, int which, Random random);

  @Override
  public final void inject(Levers levers, Random random) {
    String node = levers.nodes().get(random.nextInt(levers.nodes().size()));
    List<Levers.LogReplica> all = new ArrayList<>(levers.logReplicas(node));
    all.removeIf(r -> r.length() == 0);
    if (!all.isEmpty() && levers.budget().mayBeDamaged(node)) {
      levers.trace("fault: " + getClass().getSimpleName() + " on " + node);
      levers.budget().damages(node);
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        damage(levers, all, random.nextInt(all.size()), random);
      }
    }
  }

  /** Draws a place in a replica, mostly near the end, where the newest records are. */
  static int place(Levers.LogReplica r, Random random) {
    int near = Math.min(r.length(), 1 << 14);
    return r.length() == 0
        ? 0
        : random.nextBoolean() ? random.nextInt(r.length()) : r.length() - 1 - random.nextInt(near);
  }
}
