/**
 * Primary-backup stores, as the Gaios paper compares them with a replicated state machine. They run
 * on the Raft groups of {@link org.salus.benchmarks.peers.ratis}.
 *
 * <p>Invariant: only the leader of a group answers reads, by its lease; writes are in two logs.
 */
package org.salus.benchmarks.peers.primarybackup;
