package org.salus.dist.doctor.check;

import java.util.ArrayList;
import java.util.List;

/** Takes what a check finds. For one thread. */
public final class Findings {
  private final String check;
  private final List<Finding> found = new ArrayList<>();

  Findings(String check) {
    this.check = check;
  }

  /** Something stops volumes or endangers them. */
  public void problem(String what, String wayOut) {
    found.add(new Finding(Finding.Severity.PROBLEM, check, what, wayOut));
  }

  /** Volumes do without, for now. */
  public void warning(String what, String wayOut) {
    found.add(new Finding(Finding.Severity.WARNING, check, what, wayOut));
  }

  /** Nothing is wrong, but who runs the cluster wants to know. */
  public void note(String what) {
    found.add(new Finding(Finding.Severity.NOTE, check, what, ""));
  }

  List<Finding> all() {
    return List.copyOf(found);
  }
}
