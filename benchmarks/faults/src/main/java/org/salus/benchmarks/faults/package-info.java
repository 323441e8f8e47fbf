/**
 * Faults on real processes: what a volume, and an ordinary HBase table beside it, is after servers,
 * disks and clients went wrong. A {@link org.salus.benchmarks.faults.Cell} is one fault in one
 * place at one time, a {@link org.salus.benchmarks.faults.table.FaultRow} the cells of one line of
 * the paper's Figure 7 or §5.1.
 *
 * <p>Invariant: a verdict is what was seen; what a cell was expected to be is only compared with
 * it.
 */
package org.salus.benchmarks.faults;
