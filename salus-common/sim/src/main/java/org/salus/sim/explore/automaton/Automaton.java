package org.salus.sim.explore.automaton;

import java.util.List;

/**
 * A deterministic component with a local clock. It takes an event and returns what follows from it.
 */
public interface Automaton {

  /** The event that time passes. For a component it passes in no other way. */
  record Tick() {}

  /** The component has ended, and nothing reaches it any more. */
  record Over() {}

  /**
   * Applies an event and returns what follows: effects, {@link Parcel}s, {@link Note}s or {@link
   * Over}.
   */
  List<Object> apply(Object event);

  /** Whether it has done everything that it was asked for. */
  default boolean isIdle() {
    return true;
  }
}
