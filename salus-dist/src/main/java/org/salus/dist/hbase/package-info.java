/**
 * A cluster on one machine. {@link org.salus.dist.hbase.EmbeddedCluster} runs ZooKeeper, HDFS and
 * HBase in one process, on loopback addresses: server {@code i} and DataNode {@code i} share
 * 127.0.0.(11+i). {@link org.salus.dist.hbase.LocalCluster} runs a process for each server. {@link
 * org.salus.dist.hbase.DaemonServer} is such a process from within, {@link
 * org.salus.dist.hbase.DaemonProcess} from outside.
 *
 * <p>Invariants: a start on the same directory has the same addresses and the same data, however
 * the last process ended. A daemon's configuration file has everything that the daemon needs to
 * know.
 */
package org.salus.dist.hbase;
