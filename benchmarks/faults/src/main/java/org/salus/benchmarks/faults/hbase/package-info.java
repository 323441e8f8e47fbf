/** The ordinary HBase table that a volume is compared with. */
package org.salus.benchmarks.faults.hbase;
