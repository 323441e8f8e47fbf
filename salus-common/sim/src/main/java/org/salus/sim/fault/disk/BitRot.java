package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;

/** One bit of a log replica flips. */
final class BitRot extends DiskDamage {

  @Override
  void damage(Levers c, List<Levers.LogReplica> all, int which, Random random) {
    Levers.LogReplica r = all.get(which);
    int at = place(r, random);
    if (at < r.length()) {
      byte[] one = r.read(at, 1);
      one[0] ^= (byte) (1 << random.nextInt(8));
      r.overwrite(at, one);
    }
  }
}
