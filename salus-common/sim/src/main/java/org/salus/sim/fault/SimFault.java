package org.salus.sim.fault;

import java.util.Random;

/** Something that goes wrong, once. Made anew for each time that a plan has it. */
public interface SimFault {

  /** By which a run can be asked for faults of this kind. */
  default String kind() {
    return getClass().getSimpleName();
  }

  /** Happens now, unless the budget forbids it. */
  void inject(Levers levers, Random random);

  /** Is over; called some time after {@link #inject}, also when nothing had happened. */
  default void heal(Levers levers) {}
}
