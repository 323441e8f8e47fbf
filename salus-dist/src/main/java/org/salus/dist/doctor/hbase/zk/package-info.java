/** Reads from ZooKeeper which servers HBase has. */
package org.salus.dist.doctor.hbase.zk;
