/**
 * What the stores of a simulated cluster hold: {@link org.salus.sim.store.SimDisk} a node's
 * replicas, {@link org.salus.sim.store.SimRecords} the records of regions in ZooKeeper.
 *
 * <p>Invariant: a store does only what it is told. What is asked of it, and when a fault damages
 * it, is decided elsewhere.
 */
package org.salus.sim.store;
