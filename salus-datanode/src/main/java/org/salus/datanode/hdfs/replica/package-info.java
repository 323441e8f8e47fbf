/**
 * Active storage on stock HDFS, as a member uses it (§4.2). Each member of a region writes its own
 * replica of the same HDFS block straight to its own DataNode. Invariants: every change at the
 * NameNode carries a certificate; a writer that is dropped is always fenced by a new generation
 * stamp.
 */
package org.salus.datanode.hdfs.replica;
