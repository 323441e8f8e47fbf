package org.salus.sim.fault;

import java.util.Random;

/** A fault that happens once. Each occurrence in a plan is an object of its own. */
public interface SimFault {

  /** The name by which {@code --faults} selects faults of this kind. */
  default String kind() {
    return getClass().getSimpleName();
  }

  /** Begins the fault now, unless the budget forbids it. */
  void inject(Levers levers, Random random);

  /**
   * Ends the fault. The plan calls it some time after {@link #inject}, even if nothing happened
   * there.
   */
  default void heal(Levers levers) {}
}
