/**
 * Which cells are run, and the tables of what was seen: the rows of the paper's Figure 7 and
 * section 5.1, and the matrix of fault by place by scope.
 *
 * <p>Invariant: the number of a row or a cell is its place in the list, so it stays when others are
 * added at the end.
 */
package org.salus.benchmarks.faults.table;
