package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;

/** A range of a log replica reads as zeros. */
final class ZeroedRange extends DiskDamage {

  @Override
  void damage(Levers c, List<Levers.LogReplica> all, int which, Random random) {
    Levers.LogReplica r = all.get(which);
    int at = place(r, random);
    r.overwrite(at, new byte[Math.min(r.length() - at, 1 + random.nextInt(8192))]);
  }
}
