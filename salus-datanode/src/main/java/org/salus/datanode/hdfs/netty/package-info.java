/**
 * HDFS's data transfer protocol on Netty: the connection by which one replica is written to one
 * DataNode. All calls come from the connection's loop, and none blocks.
 */
package org.salus.datanode.hdfs.netty;
