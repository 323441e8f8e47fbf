package org.salus.benchmarks.faults.table;

import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.CellResult;
import org.salus.benchmarks.report.Table;

/** The rows, with what was seen so far and what the paper says. Not thread-safe. */
public final class FigureTable {
  private final List<FaultRow> all;
  private final List<Integer> chosen;
  private final Map<Cell, CellResult> volumes = new IdentityHashMap<>();
  private final Map<Cell, CellResult> tables = new IdentityHashMap<>();

  /**
   * @param chosen indexes of rows
   */
  public FigureTable(List<FaultRow> all, List<Integer> chosen) {
    this.all = all;
    this.chosen = chosen;
  }

  /** The cells of the chosen rows; those beyond the promise come last. */
  public List<Cell> cells() {
    return chosen.stream()
        .flatMap(i -> all.get(i).cells().stream())
        .sorted(Comparator.comparing(Cell::beyondPromise))
        .toList();
  }

  /** Adds what was seen of a volume, or else of a table. */
  public void add(boolean volume, Cell cell, CellResult result) {
    (volume ? volumes : tables).put(cell, result);
  }

  public Table table() {
    Table table = new Table("#", "FROM", "FAULTS", "SALUS", "PAPER", "HBASE", "PAPER");
    for (int i : chosen) {
      FaultRow row = all.get(i);
      CellResult mine = result(row.cells(), volumes);
      CellResult theirs = result(row.cells(), tables);
      table.add(
          Integer.toString(i + 1),
          row.where(),
          row.faults(),
          mine == null ? "-" : mine.text() + (mine.keepsPromise() ? "" : " (!)"),
          orDash(row.paperSalus()),
          theirs == null ? "-" : theirs.text(),
          orDash(row.paperHBase()));
    }
    return table;
  }

  /** Null while a cell is lacking. */
  private static CellResult result(List<Cell> cells, Map<Cell, CellResult> of) {
    boolean done = !cells.isEmpty() && cells.stream().allMatch(of::containsKey);
    return done ? CellResult.of(cells.stream().map(of::get).toList()) : null;
  }

  private static String orDash(String said) {
    return said.isEmpty() ? "-" : said;
  }

  /** Whether every row was run on volumes and was as promised. */
  public boolean isKept() {
    return chosen.stream()
        .map(i -> result(all.get(i).cells(), volumes))
        .allMatch(r -> r != null && r.keepsPromise());
  }
}
