/**
 * Stock HBase as a store of blocks: an ordinary table with a row for each block, through the
 * ordinary client.
 */
package org.salus.benchmarks.peers.hbase;
