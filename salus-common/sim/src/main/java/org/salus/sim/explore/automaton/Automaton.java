package org.salus.sim.explore.automaton;

import java.util.List;

/** A component with its local clock: takes an event, says what comes of it; deterministic. */
public interface Automaton {

  /** Time passes for a component only here. */
  record Tick() {}

  /** It is over; nothing reaches it any more. */
  record Over() {}

  /** What comes of an event: effects, {@link Parcel}s, {@link Note}s, {@link Over}. */
  List<Object> apply(Object event);

  /** Whether it has nothing left to do that it was asked for. */
  default boolean isIdle() {
    return true;
  }
}
