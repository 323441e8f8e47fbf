/**
 * The same faults in an ordinary HBase table, by a coprocessor.
 *
 * <p>Invariant: while no fault is on for a table, the coprocessor changes nothing.
 */
package org.salus.benchmarks.faulty.hbase;
