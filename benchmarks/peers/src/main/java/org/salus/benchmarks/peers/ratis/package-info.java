/**
 * A store of blocks that is a replicated state machine on Apache Ratis. Its servers run in
 * processes of their own.
 *
 * <p>Invariant: a write is on disk in the logs of two of three servers before it completes.
 */
package org.salus.benchmarks.peers.ratis;
