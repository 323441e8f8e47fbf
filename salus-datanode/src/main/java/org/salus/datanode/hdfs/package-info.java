/**
 * The code inside the stock NameNode and DataNodes, and their start. The NameNode changes no file
 * of a volume without a certificate. A DataNode cuts no replica of a log segment below what its own
 * member has found valid. The NameNode never recovers the lease of such a file, because that cuts
 * every replica to the shortest. HDFS's settings name {@link
 * org.salus.datanode.hdfs.ZooKeeperGuard} and {@link org.salus.datanode.hdfs.MemberPlacement}:
 * these classes keep their names, so that the configuration of an older cluster stays valid.
 */
package org.salus.datanode.hdfs;
