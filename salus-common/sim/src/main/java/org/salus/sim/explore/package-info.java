/**
 * Runs the core's own classes through every interleaving of a small world: every component is an
 * automaton whose states and transitions are learnt from the real class and remembered, and a world
 * is a tuple of such states.
 */
package org.salus.sim.explore;
