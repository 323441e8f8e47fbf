/**
 * The faults of a simulated cluster. Each kind of {@link org.salus.sim.fault.SimFault} is one class
 * in a package below this one. Faults pull the {@link org.salus.sim.fault.Levers} and ask the
 * {@link org.salus.sim.fault.Budget} whether the promise covers them. They know nothing else of the
 * simulator.
 */
package org.salus.sim.fault;
