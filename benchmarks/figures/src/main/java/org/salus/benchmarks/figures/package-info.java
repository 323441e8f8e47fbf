/**
 * The figures of the paper's evaluation, Salus beside its peers ({@link
 * org.salus.benchmarks.peers.BlockStoreUnderTest}) on one cluster of processes. Invariants: every
 * read is compared with what was written; systems take turns in every repetition, so that a ratio
 * is one of neighbours in time; throughput is measured while no other system has anything to do;
 * the first round warms up and does not count.
 */
package org.salus.benchmarks.figures;
