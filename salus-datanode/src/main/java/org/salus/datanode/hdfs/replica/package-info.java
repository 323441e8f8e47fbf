/**
 * Active storage on stock HDFS, as a member uses it: each member of a region writes its own replica
 * of the same block straight to its own DataNode. Invariants: every change at the NameNode carries
 * a certificate; a writer that is dropped is always fenced by a new generation stamp.
 */
package org.salus.datanode.hdfs.replica;
