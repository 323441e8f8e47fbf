/**
 * Measures what a user of the NBD bridge sees: fio against an export, and against a plain file that
 * qemu-nbd serves beside it ({@link org.salus.benchmarks.figures.nbd.NbdBench}).
 *
 * <p>Invariants: a figure of a disk comes only from fio's report. Reads are measured over a range
 * that was written before. A run removes whatever it has started or written here.
 */
package org.salus.benchmarks.figures.nbd;
