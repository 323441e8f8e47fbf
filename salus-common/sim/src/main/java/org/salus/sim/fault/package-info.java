/**
 * What befalls a simulated cluster. Each kind of {@link org.salus.sim.fault.SimFault} is one class
 * in a package below this one. Faults pull the {@link org.salus.sim.fault.Levers}, ask the {@link
 * org.salus.sim.fault.Budget} that the promise covers, and know nothing else of the simulator.
 */
package org.salus.sim.fault;
