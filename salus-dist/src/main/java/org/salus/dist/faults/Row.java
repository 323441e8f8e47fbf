package org.salus.dist.faults;

import java.util.List;

/**
 * One line of the table.
 *
 * @param where the line is from
 * @param salus cells that volumes go through; the worst counts
 * @param hbase cells that tables go through; none where the fault needs more than one server of a region
 * @param paperSalus what the paper says of Salus, or empty where it says nothing of this line alone
 * @param paperHBase the same of HBase
 */
public record Row(String where, String faults, List<Cell> salus, List<Cell> hbase, String paperSalus, String paperHBase) {}
