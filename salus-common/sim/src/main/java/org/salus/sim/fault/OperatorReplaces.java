package org.salus.sim.fault;

import java.util.Random;

/** An operator wants a right member out: no fault of a server, and none is spent. */
final class OperatorReplaces implements Fault {

  @Override
  public void inject(Cluster c, Random random) {
    String node = c.nodes().get(random.nextInt(c.nodes().size()));
    c.trace("fault: an operator replaces " + node);
    c.replaceMember(node);
  }
}
