/**
 * The storage algorithm of <i>A High Throughput Atomic Storage Algorithm</i> (ICDCS 2007), as a
 * peer: servers in a ring, each of which has all blocks, answers reads from its own, and sends
 * writes around twice. Each block is a register of its own, atomic by itself. What to do when a
 * server crashes is left out: nothing here crashes one.
 */
package org.salus.benchmarks.peers.ring;
