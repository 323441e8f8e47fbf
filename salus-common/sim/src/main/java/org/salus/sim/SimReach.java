package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Random;
import org.salus.core.log.LogReader;

/**
 * A member's way to the DataNode with its replica. On another machine that may be out of reach,
 * late, or fail at any time.
 */
final class SimReach {
  /** While faults come, one of so many reads or appends over the network fails. */
  private static final int FAILS_ONE_OF = 300;

  /** While faults come, one of so many readings of a replica over the network ends early. */
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

  /** The way of the same member to another DataNode. */
  SimReach to(SimNode other) {
    return new SimReach(sim, node, other, random);
  }

  /** A replica as it is read this way. On another machine, the connection may break anywhere. */
  Reading reading(LogReader.Source replica, int length) {
    return new Reading(
        replica,
        isAway() && sim.isChaos() && random.nextInt(ENDS_ONE_OF) == 0
            ? random.nextInt(length + 1)
            : Long.MAX_VALUE);
  }

  /** One reading of a replica. */
  final class Reading implements LogReader.Source {
    private final LogReader.Source replica;
    private final long breaksAt;
    private boolean unsure;

    private Reading(LogReader.Source replica, long breaksAt) {
      this.replica = replica;
      this.breaksAt = breaksAt;
    }

    @Override
    public boolean read(long position, ByteBuffer into) {
      unsure |= position + into.remaining() > breaksAt || !mayRead();
      return !unsure && replica.read(position, into);
    }

    @Override
    public boolean isUnsure() {
      return unsure;
    }
  }

  /** How much longer an append takes, in nanoseconds. */
  long late() {
    return isAway() ? sim.smallDelay() * (1 + random.nextInt(3)) : 0;
  }
}
