/** Faults of the network: cut links and altered messages. */
package org.salus.sim.fault.network;
