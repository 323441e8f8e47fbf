package org.salus.sim.fault;

import java.util.List;
import java.util.Random;

/** One bit of a log replica flips. */
final class BitRot extends DiskDamage {

  @Override
  void damage(Cluster c, List<Cluster.LogReplica> all, int which, Random random) {
    Cluster.LogReplica r = all.get(which);
    int at = place(r, random);
    if (at < r.length()) {
      byte[] one = r.read(at, 1);
      one[0] ^= (byte) (1 << random.nextInt(8));
      r.overwrite(at, one);
    }
  }
}
