package org.salus.sim.fault;

import java.util.Random;

/** A fault of one node that makes it unavailable for a while. */
abstract class NodeFault implements Fault {
  private String node;

  /** It happens to this node. */
  abstract void begin(Cluster cluster, String of, Random random);

  /** It is over. */
  abstract void end(Cluster cluster, String of);

  @Override
  public final void inject(Cluster cluster, Random random) {
    String chosen = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    if (cluster.isUp(chosen) && cluster.budget().mayGoDown(chosen)) {
      node = chosen;
      cluster.budget().goesDown(node);
      begin(cluster, node, random);
    }
  }

  @Override
  public final void heal(Cluster cluster) {
    if (node != null) {
      end(cluster, node);
      String back = node;
      cluster.whenWholeWith(
          back,
          () ->
              cluster
                  .budget()
                  .isUpAgain(back)); // its replicas count only when epochs with it have begun
      node = null;
    }
  }
}
