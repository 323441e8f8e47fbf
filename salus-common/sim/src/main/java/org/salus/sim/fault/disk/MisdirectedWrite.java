package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;

/** A range of a log replica is overwritten with bytes from another place. */
final class MisdirectedWrite extends DiskDamage {

  @Override
  void damage(Levers c, List<Levers.LogReplica> all, int which, Random random) {
    Levers.LogReplica from = all.get(random.nextInt(all.size()));
    Levers.LogReplica r = all.get(which);
    int source = place(from, random);
    int at = place(r, random);
    int n = Math.min(Math.min(from.length() - source, r.length() - at), 1 + random.nextInt(8192));
    if (n > 0) {
      r.overwrite(at, from.read(source, n));
    }
  }
}
