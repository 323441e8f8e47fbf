package org.salus.sim.fault.disk;

import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;

/**
 * All log replicas of a node return to an earlier state: the newest are gone, the others are
 * shorter.
 */
final class StaleReplica extends DiskDamage {

  @Override
  void damage(Levers c, List<Levers.LogReplica> all, int which, Random random) {
    for (int i = 0; i < all.size(); i++) {
      all.get(i)
          .truncate(i > which ? 0 : i == which ? place(all.get(i), random) : all.get(i).length());
    }
  }
}
