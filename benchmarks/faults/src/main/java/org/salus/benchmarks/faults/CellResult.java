package org.salus.benchmarks.faults;

import java.util.ArrayList;
import java.util.List;
import org.salus.benchmarks.faults.history.Verdict;

/** The verdicts of cells on one kind of store, or the reason why one of them could not be run. */
public record CellResult(String target, List<Cell> cells, List<Verdict> verdicts, String failure) {

  /** The results of cells as one. */
  public static CellResult of(List<CellResult> each) {
    List<Cell> cells = new ArrayList<>();
    List<Verdict> verdicts = new ArrayList<>();
    for (CellResult r : each) {
      cells.addAll(r.cells);
      verdicts.addAll(r.verdicts);
    }
    return new CellResult(
        each.get(0).target,
        cells,
        verdicts,
        each.stream().map(CellResult::failure).filter(f -> !f.isEmpty()).findFirst().orElse(""));
  }

  /** Whether every cell was run. */
  public boolean ran() {
    return failure.isEmpty();
  }

  /** Whether every cell kept its promise. */
  public boolean keepsPromise() {
    for (int i = 0; i < verdicts.size(); i++) {
      if (!cells.get(i).keepsPromise(verdicts.get(i))) {
        return false;
      }
    }
    return ran();
  }

  /** The worst of the verdicts in a few words. */
  public String text() {
    if (!ran()) {
      return "NOT RUN: " + failure;
    }
    Verdict worst = Verdict.worst(verdicts);
    return worst.get() + ", " + worst.put() + (worst.isLive() ? "" : ", not live");
  }
}
