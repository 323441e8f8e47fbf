package org.salus.sim.fault;

import java.util.List;
import java.util.Random;

/** A log replica ends earlier than it did. */
final class LostTail extends DiskDamage {

  @Override
  void damage(Cluster c, List<Cluster.LogReplica> all, int which, Random random) {
    Cluster.LogReplica r = all.get(which);
    r.truncate(place(r, random));
  }
}
