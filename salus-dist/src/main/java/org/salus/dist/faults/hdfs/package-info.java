/** Replicas as files of the DataNodes. */
package org.salus.dist.faults.hdfs;
