/**
 * Factories of the core's state machines for a simulation or an exploration. Through them tests
 * plant bugs and faults make wrong members.
 */
package org.salus.sim.parts;
