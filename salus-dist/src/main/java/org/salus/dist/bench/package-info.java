/**
 * Benchmarks of what users run: fio against an NBD export, and against a plain file served by
 * qemu-nbd beside it ({@link org.salus.dist.bench.NbdBench}); and how long writes stand still when
 * servers are killed ({@link org.salus.dist.bench.RecoveryBench}). Invariants: a figure of a disk
 * is only read from what fio reports; reads are measured over a range that was written before;
 * whatever is started or written here is gone when a run is over.
 */
package org.salus.dist.bench;
