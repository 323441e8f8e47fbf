/**
 * Requests to the NameNode that nobody agreed on.
 *
 * <p>Invariant: it shows only permissions that its member has seen, and forges none.
 */
package org.salus.benchmarks.faulty.hdfs;
