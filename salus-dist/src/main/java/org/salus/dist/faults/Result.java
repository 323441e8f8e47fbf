package org.salus.dist.faults;

import java.util.List;

/** What came of a line for one target: the verdicts of its cells, or why one of them could not be run. */
public record Result(String target, List<Cell> cells, List<Verdict> verdicts, String failure) {

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
