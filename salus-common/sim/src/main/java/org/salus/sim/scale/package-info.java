/**
 * How throughput grows with the number of servers (paper §5.2.3, Figure 12): Salus' core itself,
 * and a model of HBase, on machines whose processors, disks and network take the time that was
 * measured. {@link org.salus.sim.scale.StoreModel} is the entrance.
 *
 * <p>Invariants: nothing fails here, and nothing is stored; a run is a function of its scenario and
 * costs alone.
 */
package org.salus.sim.scale;
