/**
 * The components of an explored world as automata. Each runs a real class of the core or a checker.
 * {@link org.salus.sim.explore.automaton.Catalog} learns and remembers their states and
 * transitions.
 *
 * <p>Invariant: a component's next state and what follows from an event depend only on its state
 * and the event.
 */
package org.salus.sim.explore.automaton;
