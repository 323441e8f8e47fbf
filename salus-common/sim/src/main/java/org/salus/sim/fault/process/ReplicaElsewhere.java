package org.salus.sim.fault.process;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.salus.core.replacement.DataNodeState;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The DataNode of a node is full or is decommissioned, while all servers but three are away. So its
 * members have their replicas on DataNodes without a server, or go on as they are.
 */
final class ReplicaElsewhere implements SimFault {
  private static final int MEMBERS = 3;
  private static final long MILLI = 1_000_000L;

  private final List<String> away = new ArrayList<>();
  private String node;

  @Override
  public void inject(Levers c, Random random) {
    List<String> all = new ArrayList<>(c.nodes());
    Collections.shuffle(all, random);
    String chosen = all.get(0);
    DataNodeState state =
        random.nextInt(3) > 0 ? DataNodeState.FULL : DataNodeState.DECOMMISSIONING;
    if (!all.stream().allMatch(c::isUp)) {
      return;
    }
    for (String spare : all.subList(MEMBERS, all.size())) {
      if (c.budget().mayGoDown(spare)) {
        c.trace("fault: the region server of " + spare + " ends");
        c.endServer(spare, false);
        away.add(spare);
      }
    }
    boolean waits = random.nextBoolean();
    c.after(
        MILLI * random.nextInt(500),
        () -> {
          if (waits) {
            c.whenWholeWith(chosen, () -> takeOut(c, chosen, state));
          } else {
            takeOut(c, chosen, state);
          }
        });
  }

  private void takeOut(Levers c, String chosen, DataNodeState state) {
    boolean mayBe = state == DataNodeState.FULL || c.budget().mayBeTakenOut(chosen);
    if (!away.isEmpty() && mayBe) {
      node = chosen;
      c.trace("fault: the DataNode of " + node + " " + state.words());
      c.takeOut(node, state);
    }
  }

  @Override
  public void heal(Levers c) {
    away.forEach(c::bringBack);
    away.clear();
    if (node != null) {
      c.takeOut(node, DataNodeState.IN_SERVICE);
      node = null;
    }
  }
}
