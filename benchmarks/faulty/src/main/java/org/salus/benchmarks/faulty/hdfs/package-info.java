/**
 * Requests to the NameNode that nobody agreed on, and checksums that hide the damage of an HDFS
 * block.
 *
 * <p>Invariant: it shows only permissions that its member has seen, and forges none.
 */
package org.salus.benchmarks.faulty.hdfs;
