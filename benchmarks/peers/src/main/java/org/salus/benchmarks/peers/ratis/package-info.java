/**
 * A store of blocks that is a replicated state machine on Apache Ratis, and primary-backup variants
 * of it, in processes of their own.
 */
package org.salus.benchmarks.peers.ratis;
