package org.salus.benchmarks.faults;

import java.util.ArrayList;
import java.util.List;

/**
 * What came of a line for one target: the verdicts of its cells, or why one of them could not be
 * run.
 */
public record Result(String target, List<Cell> cells, List<Verdict> verdicts, String failure) {

  /** The results of cells as one. */
  public static Result of(List<Result> each) {
    List<Cell> cells = new ArrayList<>();
    List<Verdict> verdicts = new ArrayList<>();
    for (Result r : each) {
      cells.addAll(r.cells);
      verdicts.addAll(r.verdicts);
    }
    return new Result(
        each.get(0).target,
        cells,
        verdicts,
        each.stream().map(Result::failure).filter(f -> !f.isEmpty()).findFirst().orElse(""));
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

  /** In few words. */
  public String text() {
    if (!ran()) {
      return "NOT RUN: " + failure;
    }
    Verdict worst = Verdict.worst(verdicts);
    return worst.get() + ", " + worst.put() + (worst.isLive() ? "" : ", not live");
  }
}
