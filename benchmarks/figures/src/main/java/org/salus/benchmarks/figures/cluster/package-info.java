/**
 * The clusters that figures are measured on, and the stores on them that are compared.
 *
 * <p>Invariants: every store has a fresh volume, table or group of its own; on a cluster that ran
 * before, everything that was made there is removed at the end.
 */
package org.salus.benchmarks.figures.cluster;
