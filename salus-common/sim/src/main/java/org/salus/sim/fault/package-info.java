/**
 * What befalls a simulated cluster: one class for each kind of {@link org.salus.sim.fault.Fault}, a
 * {@link org.salus.sim.fault.Plan} drawn from the seed, and the {@link org.salus.sim.fault.Budget}
 * that the promise covers. Faults pull the levers of {@link org.salus.sim.fault.Cluster} and know
 * nothing else of the simulator.
 */
package org.salus.sim.fault;
