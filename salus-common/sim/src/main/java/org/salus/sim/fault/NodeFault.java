package org.salus.sim.fault;

import java.util.Random;

/** A fault of one node that makes it unavailable for a while. */
public abstract class NodeFault implements SimFault {
  private String node;

  /** Begins the fault at this node. */
  protected abstract void begin(Levers levers, String of, Random random);

  /** Ends the fault. */
  protected abstract void end(Levers levers, String of);

  @Override
  public final void inject(Levers levers, Random random) {
    String chosen = levers.nodes().get(random.nextInt(levers.nodes().size()));
    if (levers.isUp(chosen) && levers.budget().mayGoDown(chosen)) {
      node = chosen;
      levers.budget().goesDown(node);
      begin(levers, node, random);
    }
  }

  @Override
  public final void heal(Levers levers) {
    if (node != null) {
      end(levers, node);
      String back = node;
      levers.whenWholeWith(
          back,
          () ->
              levers
                  .budget()
                  .isUpAgain(back)); // its replicas count only once epochs with it have begun
      node = null;
    }
  }
}
