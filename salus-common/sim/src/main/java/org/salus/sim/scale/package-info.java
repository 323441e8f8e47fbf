/**
 * How throughput grows with the number of servers (paper §5.2.3, Figure 12). Salus' core itself and
 * a model of HBase run on machines whose processors, disks and network take the measured times.
 * {@link org.salus.sim.scale.StoreModel} is the entry point.
 *
 * <p>Invariants: nothing fails here, and nothing is stored. A run is a function of its scenario and
 * costs alone.
 */
package org.salus.sim.scale;
