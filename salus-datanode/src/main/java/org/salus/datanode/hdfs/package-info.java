/**
 * Active storage on stock HDFS: each member of a region writes its own replica of the same block
 * straight to its own DataNode. Invariants: no file of a volume is changed at the NameNode without
 * a certificate; leases of these files are never recovered by HDFS, because that cuts every replica
 * to the shortest; a writer that is dropped is always fenced by a new generation stamp.
 */
package org.salus.datanode.hdfs;
