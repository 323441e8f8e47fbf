/**
 * What faults are done to: volumes ({@link org.salus.benchmarks.faults.store.SalusTarget}) and
 * other stores behind the interface {@link org.salus.benchmarks.faults.store.Target}, and the
 * cluster of processes that serves them.
 *
 * <p>Invariant: a store has a name of its own and two regions, whatever kind it is.
 */
package org.salus.benchmarks.faults.store;
