package org.salus.sim.fault;

import java.util.List;
import java.util.Random;

/** Bytes of one log replica stand where others belong. */
final class MisdirectedWrite extends DiskDamage {

  @Override
  void damage(Cluster c, List<Cluster.LogReplica> all, int which, Random random) {
    Cluster.LogReplica from = all.get(random.nextInt(all.size()));
    Cluster.LogReplica r = all.get(which);
    int source = place(from, random);
    int at = place(r, random);
    int n = Math.min(Math.min(from.length() - source, r.length() - at), 1 + random.nextInt(8192));
    if (n > 0) {
      r.overwrite(at, from.read(source, n));
    }
  }
}
