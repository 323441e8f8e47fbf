/**
 * The ordinary HBase table that is run beside a volume.
 *
 * <p>Invariant: it uses the ordinary client and HBase's default durability.
 */
package org.salus.benchmarks.faults.hbase;
