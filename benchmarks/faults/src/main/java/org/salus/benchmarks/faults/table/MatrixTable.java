package org.salus.benchmarks.faults.table;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.CellResult;
import org.salus.benchmarks.report.Table;

/** The cells of the matrix with what was seen so far, and what is left out. Not thread-safe. */
public final class MatrixTable {
  private final List<Cell> all;
  private final List<Integer> chosen;
  private final Map<Cell, CellResult> results = new IdentityHashMap<>();

  /**
   * @param chosen indexes of cells
   */
  public MatrixTable(List<Cell> all, List<Integer> chosen) {
    this.all = all;
    this.chosen = chosen;
  }

  /** The chosen ones. */
  public List<Cell> cells() {
    return chosen.stream().map(all::get).toList();
  }

  public void add(Cell cell, CellResult result) {
    results.put(cell, result);
  }

  public Table table() {
    Table table = new Table("#", "FAULT", "PLACE", "SCOPE", "PHASE", "VOLUME", "AS PROMISED");
    for (int i : chosen) {
      Cell c = all.get(i);
      CellResult r = results.get(c);
      table.add(
          Integer.toString(i + 1),
          c.what(),
          c.place(),
          c.scope(),
          c.phase().name().toLowerCase(Locale.ROOT).replace('_', ' '),
          r == null ? "" : r.text(),
          r == null || !r.ran() ? "not run" : r.keepsPromise() ? "yes" : "NO (!)");
    }
    return table;
  }

  public Table leftOut() {
    Table table = new Table("LEFT OUT", "WHY");
    Matrix.leftOut().forEach(l -> table.add(l.what(), l.why()));
    return table;
  }

  public long ran() {
    return results.values().stream().filter(CellResult::ran).count();
  }

  /** How many were run and as promised. */
  public long kept() {
    return results.values().stream().filter(CellResult::keepsPromise).count();
  }
}
