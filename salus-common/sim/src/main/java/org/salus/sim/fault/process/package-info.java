/** Faults of processes: servers, clients and the master crash, stand still or lose a lease. */
package org.salus.sim.fault.process;
