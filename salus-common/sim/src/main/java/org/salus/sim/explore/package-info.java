/**
 * Runs the core's own classes through every interleaving of a small world. Every component is an
 * automaton; its states and transitions are learnt from the real class and remembered. A world is a
 * tuple of such states.
 */
package org.salus.sim.explore;
