/**
 * The embedded cluster: ZooKeeper, HDFS and HBase in one process, on loopback addresses: server
 * {@code i} and DataNode {@code i} share 127.0.0.(11+i). Invariant: a start on the same directory
 * has the same addresses and the same data, however the process before it ended.
 */
package org.salus.dist.hbase;
