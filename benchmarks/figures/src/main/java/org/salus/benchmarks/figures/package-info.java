/**
 * The figures of the papers' evaluations: Salus beside its peers ({@link
 * org.salus.benchmarks.peers.BlockStoreUnderTest}) on one cluster of processes. The packages below
 * have the load, the clusters, the results, and the watches on processes.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Systems take turns in every repetition, so a ratio compares neighbours in time.
 *   <li>Throughput is measured while no other system has anything to do.
 *   <li>The first round warms up and does not count.
 * </ul>
 */
package org.salus.benchmarks.figures;
