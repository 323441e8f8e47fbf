/**
 * Stock HBase as a store of blocks: an ordinary table with a row for each block, used by the
 * ordinary client.
 *
 * <p>Invariant: settings are HBase's defaults, apart from those in {@link
 * org.salus.benchmarks.peers.hbase.StockSettings}.
 */
package org.salus.benchmarks.peers.hbase;
