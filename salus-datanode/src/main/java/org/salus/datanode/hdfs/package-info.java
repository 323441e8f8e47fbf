/**
 * What runs inside the stock NameNode and DataNodes, and how they are started. The NameNode changes
 * no file of a volume without a certificate, and never recovers the lease of such a file, because
 * that cuts every replica to the shortest. HDFS's settings name {@link
 * org.salus.datanode.hdfs.ZooKeeperGuard} and {@link org.salus.datanode.hdfs.MemberPlacement}:
 * these classes keep their names, so that the configuration of an older cluster stays valid.
 */
package org.salus.datanode.hdfs;
