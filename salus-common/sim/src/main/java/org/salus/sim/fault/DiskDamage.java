package org.salus.sim.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Damage of replicas on one node's disk, which nobody is told of. */
abstract class DiskDamage implements Fault {

  /** Damages one replica of a log segment. */
  abstract void damage(Cluster cluster, List<Cluster.LogReplica> all, int which, Random random);

  @Override
  public final void inject(Cluster cluster, Random random) {
    String node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    List<Cluster.LogReplica> all = new ArrayList<>(cluster.logReplicas(node));
    all.removeIf(r -> r.length() == 0);
    if (!all.isEmpty() && cluster.budget().mayBeDamaged(node)) {
      cluster.trace("fault: " + getClass().getSimpleName() + " on " + node);
      cluster.budget().damages(node);
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        damage(cluster, all, random.nextInt(all.size()), random);
      }
    }
  }

  /** A place in a replica; mostly near the end, where what is newest stands. */
  static int place(Cluster.LogReplica r, Random random) {
    int near = Math.min(r.length(), 1 << 14);
    return r.length() == 0
        ? 0
        : random.nextBoolean() ? random.nextInt(r.length()) : r.length() - 1 - random.nextInt(near);
  }
}
