/**
 * Replicas as block files of the DataNodes: where they are, and how they are damaged.
 *
 * <p>Invariant: a damaged block file, and its checksums if they are to fit, are edited under the
 * DataNode, which is not told.
 */
package org.salus.benchmarks.faults.hdfs;
