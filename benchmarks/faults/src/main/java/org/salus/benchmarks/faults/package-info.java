/**
 * Faults on real processes. A {@link org.salus.benchmarks.faults.Cell} is one fault, in one place,
 * in one phase. {@link org.salus.benchmarks.faults.FaultsRun} runs cells, each on a volume or an
 * HBase table of its own, and gives a verdict on what is left of it.
 *
 * <p>Invariant: a verdict is what was seen. What a cell promises is only compared with it.
 */
package org.salus.benchmarks.faults;
