package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The writer is cut off together with a node, also from ZooKeeper and the master. It goes on
 * reading from the node's members, which are soon deposed, while another client mounts and writes.
 */
final class WriterCutOff implements SimFault {
  private static final long MILLI = 1_000_000L;

  @Override
  public void inject(Levers c, Random random) {
    String node = c.nodes().get(random.nextInt(c.nodes().size()));
    boolean waits = random.nextBoolean();
    if (waits) {
      c.mountWhenFree();
    }
    c.whenWriterRests(
        () -> {
          boolean may = c.isUp(node) && c.budget().mayGoDown(node);
          if (may) {
            begin(c, node, waits, random);
          }
          return may;
        });
  }

  /**
   * @param waits whether the next client is there already and waits, instead of using force
   */
  private static void begin(Levers c, String node, boolean waits, Random random) {
    c.trace("fault: the writer is cut off together with " + node);
    c.budget().goesDown(node);
    c.cutOffWriter(node);
    if (!waits) {
      c.after(random.nextInt(200) * MILLI, c::mount);
    }
    if (random.nextInt(3) == 0) { // the next client mounts again, and must not have forgotten
      c.after((350 + random.nextInt(400)) * MILLI, c::loseWriterLease);
    }
    if (random.nextInt(4) > 0) { // what the one between has not acknowledged must not be seen yet
      c.after((200 + random.nextInt(300)) * MILLI, c::mount);
    }
    c.after((300 + random.nextInt(1500)) * MILLI, () -> end(c, node));
  }

  private static void end(Levers c, String node) {
    c.joinAgain(node);
    c.whenWholeWith(node, () -> c.budget().isUpAgain(node));
  }
}
