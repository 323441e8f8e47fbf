/** Replicas as files of the DataNodes. */
package org.salus.benchmarks.faults.hdfs;
