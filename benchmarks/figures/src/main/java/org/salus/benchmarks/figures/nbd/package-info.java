/**
 * What a user of the NBD bridge sees: fio against an export, and against a plain file served by
 * qemu-nbd beside it ({@link org.salus.benchmarks.figures.nbd.NbdBench}).
 *
 * <p>Invariants: a figure of a disk is only read from what fio reports; reads are measured over a
 * range that was written before; whatever is started or written here is gone when a run is over.
 */
package org.salus.benchmarks.figures.nbd;
