package org.salus.benchmarks.faults.table;

import java.util.List;
import org.salus.benchmarks.faults.Cell;

/**
 * One line of the table.
 *
 * @param where the line is from
 * @param cells that volumes, and tables, go through; the worst counts
 * @param paperSalus what the paper says of Salus, or empty where it says nothing of this line alone
 * @param paperHBase the same of HBase
 */
public record FaultRow(
    String where, String faults, List<Cell> cells, String paperSalus, String paperHBase) {}
