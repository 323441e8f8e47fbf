/**
 * The storage algorithm of <i>A High Throughput Atomic Storage Algorithm</i> (ICDCS 2007), as a
 * peer. The servers form a ring. Each has all blocks, answers reads from its own copy, and sends
 * writes around twice. Each block is a register of its own, atomic by itself. The handling of
 * crashed servers is left out, because nothing here crashes one.
 */
package org.salus.benchmarks.peers.ring;
