package org.salus.benchmarks.faults.table;

import java.util.List;
import org.salus.benchmarks.faults.Cell;

/**
 * One row of the table.
 *
 * @param where the row is from
 * @param cells that are run on volumes and on tables; the worst verdict counts
 * @param paperSalus what the paper says of Salus, or empty if it says nothing of this row alone
 * @param paperHBase the same of HBase
 */
public record FaultRow(
    String where, String faults, List<Cell> cells, String paperSalus, String paperHBase) {}
