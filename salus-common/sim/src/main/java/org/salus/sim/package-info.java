/**
 * The simulator: the core's own classes under a virtual clock, a faulty network and disks that lose
 * what was not synced. {@link org.salus.sim.Simulation} runs one seed with the faults that its
 * {@link org.salus.sim.FaultPlan} draws. {@link org.salus.sim.check} has one checker for each
 * property.
 *
 * <p>Invariant: a run is a function of its seed and options alone. The same seed gives the same
 * trace.
 */
package org.salus.sim;
