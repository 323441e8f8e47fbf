package org.salus.sim.fault.wrong;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * One holder of a region is wrong, and all right ones crash and come back: wrong and transient at
 * once (paper §2.1).
 */
final class RightOnesAway implements SimFault {
  private static final long MILLI = 1_000_000;

  private final List<String> away = new ArrayList<>();
  private SimFault wrong;

  @Override
  public void inject(Levers c, Random random) {
    wrong =
        (random.nextInt(4) != 0
                ? Wrong.FORGETS_TAIL
                : Wrong.KINDS.get(random.nextInt(Wrong.KINDS.size())))
            .get();
    wrong.inject(c, random);
    c.after(MILLI * random.nextInt(1000), () -> leave(c, random));
  }

  /**
   * The wrong one may have been a member of the next epoch by then, or not. Until a region has
   * served, it has no holders for which the master would wait.
   */
  private void leave(Levers c, Random random) {
    String left = wrong == null ? null : c.budget().onlyWrong();
    List<List<String>> holders =
        c.holders().stream().filter(of -> left != null && of.contains(left)).toList();
    if (holders.isEmpty() || !c.haveServed()) {
      return;
    }
    List<String> right =
        holders.get(random.nextInt(holders.size())).stream().filter(n -> !n.equals(left)).toList();
    if (right.stream().allMatch(c::isUp) && c.budget().mayRightOnesGo()) {
      c.trace("fault: " + right + " are away while " + left + " is wrong");
      right.forEach(
          node -> {
            c.budget().goesDown(node);
            c.crash(node);
          });
      away.addAll(right);
    }
  }

  @Override
  public void heal(Levers c) {
    for (String node : away) {
      c.bringBack(node);
      c.whenWholeWith(node, () -> c.budget().isUpAgain(node));
    }
    away.clear();
    if (wrong != null) {
      wrong.heal(c);
      wrong = null;
    }
  }
}
