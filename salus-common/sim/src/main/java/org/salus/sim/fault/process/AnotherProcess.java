package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The process of the writer's user ends, or seems to, at any step, and another one goes on with
 * what it has kept. Some of those that go on, too, lose their lease and claim the volume again. At
 * times two processes begin with copies of one note.
 */
final class AnotherProcess implements SimFault {
  private static final long MILLI = 1_000_000L;

  @Override
  public void inject(Levers c, Random random) {
    c.endAfterClaims(random.nextBoolean());
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      boolean ends = random.nextInt(3) > 0;
      int copies = random.nextInt(5) == 0 ? 2 : 1;
      boolean losesLease = random.nextInt(3) == 0;
      long at = MILLI * random.nextInt(800);
      c.after(
          at,
          () -> {
            c.trace("fault: " + copies + " more of the user's processes; it has ended: " + ends);
            for (int n = copies; n > 0; n--) {
              c.nextProcess(ends);
            }
          });
      if (losesLease) {
        c.after(at + MILLI * random.nextInt(30), c::loseWriterLease);
      }
    }
  }

  @Override
  public void heal(Levers c) {
    c.endAfterClaims(false);
  }
}
