package org.salus.sim;

import java.util.Random;

/**
 * A member's way to the DataNode with its replica. On another machine that may be out of reach,
 * late, or fail at any time.
 */
final class SimReach {
  /** While faults come, one of so many reads or appends over the network fails. */
  private static final int FAILS_ONE_OF = 300;

  /** While faults come, one of so many scans over the network ends early. */
  private static final int ENDS_ONE_OF = 4;

  private final Simulation sim;
  private final SimNode node;
  private final SimNode store;
  private final Random random;

  /** The DataNode's process of the beginning. A later one has no writer of the member. */
  private final int process;

  /**
   * @param node the member's machine
   * @param store the machine of its DataNode
   */
  SimReach(Simulation sim, SimNode node, SimNode store, Random random) {
    this.sim = sim;
    this.node = node;
    this.store = store;
    this.random = random;
    this.process = store.crashes();
  }

  SimNode node() {
    return node;
  }

  SimNode store() {
    return store;
  }

  boolean isAway() {
    return store != node;
  }

  /** Whether an append gets there. */
  boolean mayAppend() {
    return mayRead() && store.crashes() == process;
  }

  /** Whether a read gets an answer. */
  boolean mayRead() {
    return !isAway()
        || store.answers(sim.now())
            && !store.cutOff
            && !node.cutOff
            && !sim.isBlocked(node.name, store.name)
            && !(sim.isChaos() && random.nextInt(FAILS_ONE_OF) == 0);
  }

  /** The position at which the connection of a scan of so many bytes breaks, if it does. */
  long breaksAt(int length) {
    return isAway() && sim.isChaos() && random.nextInt(ENDS_ONE_OF) == 0
        ? random.nextInt(length + 1)
        : Long.MAX_VALUE;
  }

  /** How much longer an append takes, in nanoseconds. */
  long late() {
    return isAway() ? sim.smallDelay() * (1 + random.nextInt(3)) : 0;
  }
}
