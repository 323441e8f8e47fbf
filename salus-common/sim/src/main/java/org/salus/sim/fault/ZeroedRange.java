package org.salus.sim.fault;

import java.util.List;
import java.util.Random;

/** A range of a log replica reads as zeros. */
final class ZeroedRange extends DiskDamage {

  @Override
  void damage(Cluster c, List<Cluster.LogReplica> all, int which, Random random) {
    Cluster.LogReplica r = all.get(which);
    int at = place(r, random);
    r.overwrite(at, new byte[Math.min(r.length() - at, 1 + random.nextInt(8192))]);
  }
}
