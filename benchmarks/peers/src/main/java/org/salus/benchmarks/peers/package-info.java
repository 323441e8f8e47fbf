/**
 * What the peers of Salus have in common: the interface of a store ({@link
 * org.salus.benchmarks.peers.BlockStoreUnderTest}), servers in processes, and the window of
 * outstanding requests.
 *
 * <p>Invariant: a peer's package imports no other peer's, except that primary-backup is built on
 * Ratis.
 */
package org.salus.benchmarks.peers;
