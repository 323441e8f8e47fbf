package org.salus.sim.fault.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.Levers.Holder;
import org.salus.sim.fault.SimFault;

/**
 * All holders of a region but one lose the tails of their replicas, and all servers start again at
 * once. The one that is left is one whose replica is on another machine, if that comes soon.
 */
final class OthersLoseTails implements SimFault {
  private static final long AGAIN = 20_000_000L;

  private boolean isOver;

  @Override
  public void inject(Levers c, Random random) {
    boolean anyone = random.nextInt(4) == 0;
    List<Holder> left = new ArrayList<>();
    for (List<Holder> of : c.pairs()) {
      of.stream().filter(h -> anyone || !h.node().equals(h.dataNode())).forEach(left::add);
    }
    if (left.isEmpty() || !lose(c, left.get(random.nextInt(left.size())), random)) {
      c.after(AGAIN, () -> again(c, random));
    }
  }

  private void again(Levers c, Random random) {
    if (!isOver) {
      inject(c, random);
    }
  }

  private boolean lose(Levers c, Holder left, Random random) {
    List<Holder> region =
        c.pairs().stream().filter(of -> of.contains(left)).findFirst().orElseThrow();
    List<String> others =
        region.stream().filter(h -> !h.equals(left)).map(Holder::dataNode).toList();
    if (!c.budget().mayAllCrash() || !others.stream().allMatch(c.budget()::mayBeDamaged)) {
      return false;
    }
    for (String node : others) {
      if (c.budget().mayBeDamaged(node)) {
        c.trace("fault: OthersLoseTails on " + node + " but " + left);
        c.budget().damages(node);
        c.logReplicas(node).stream()
            .filter(r -> r.length() > 0)
            .forEach(r -> r.truncate(DiskDamage.place(r, random)));
      }
    }
    c.crashAll();
    return true;
  }

  @Override
  public void heal(Levers c) {
    isOver = true;
  }
}
