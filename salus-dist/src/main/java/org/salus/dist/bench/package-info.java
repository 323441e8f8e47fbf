/**
 * Benchmarks of what users run: fio against an NBD export, and against a plain file served by qemu-nbd beside it.
 * Invariants: a figure is only read from what fio reports; reads are measured over a range that was written before;
 * whatever is started or written here is gone when a run is over.
 */
package org.salus.dist.bench;
