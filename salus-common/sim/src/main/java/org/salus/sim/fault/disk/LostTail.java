package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;

/** A log replica loses its tail. */
final class LostTail extends DiskDamage {

  @Override
  void damage(Levers c, List<Levers.LogReplica> all, int which, Random random) {
    Levers.LogReplica r = all.get(which);
    r.truncate(place(r, random));
  }
}
