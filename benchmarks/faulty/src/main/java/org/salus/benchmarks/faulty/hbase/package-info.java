/** Faults of HBase's region servers, by its extension points. */
package org.salus.benchmarks.faulty.hbase;
