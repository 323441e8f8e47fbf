/**
 * The stores that Salus is compared with, each behind the same interface ({@link
 * org.salus.benchmarks.peers.BlockStoreUnderTest}).
 */
package org.salus.benchmarks.peers;
