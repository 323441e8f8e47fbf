package org.salus.sim.fault.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The region servers of all holders of a region end, perhaps for good, or ZooKeeper takes them for
 * gone while they go on. Their DataNodes go on, but for one at times.
 */
final class ServersLost implements SimFault {
  private static final long MILLI = 1_000_000L;

  /** The number of servers that must be left, so that each region can have members. */
  private static final int LEFT = 2;

  private final List<String> away = new ArrayList<>();
  private String withoutDataNode;
  private boolean forGood;

  @Override
  public void inject(Levers c, Random random) {
    List<List<String>> holders = c.holders();
    List<String> all = holders.get(random.nextInt(holders.size()));
    boolean hidden = random.nextInt(3) == 0;
    boolean mayStay = c.nodes().size() - all.size() >= LEFT && random.nextBoolean();
    String chosen = random.nextInt(3) == 0 ? all.get(random.nextInt(all.size())) : null;
    long time = MILLI * (20 + random.nextInt(1500));
    if (!all.stream().allMatch(c::isUp) || !c.budget().mayServersGo()) {
      return;
    }
    away.addAll(all);
    forGood = !hidden && mayStay;
    withoutDataNode = chosen;
    c.trace(
        "fault: the region servers of "
            + all
            + (hidden ? " are hidden" : forGood ? " are lost for good" : " end")
            + (chosen == null ? "" : ", with the DataNode of " + chosen));
    for (String node : all) {
      c.budget().goesDown(node);
      if (hidden) {
        c.hideServer(node, time);
      } else {
        c.endServer(node, forGood);
      }
    }
    if (withoutDataNode != null && !hidden) {
      c.crash(withoutDataNode);
    }
  }

  @Override
  public void heal(Levers c) {
    for (String node : away) {
      c.bringBack(node);
      if (!forGood) {
        c.whenWholeWith(node, () -> c.budget().isUpAgain(node));
      }
    }
    away.clear();
  }
}
