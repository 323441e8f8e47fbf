package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.doctor.cluster.Cluster;

/**
 * A look at a cluster for one kind of trouble. It changes nothing. Whoever runs it sees to it that
 * it ends in time.
 */
public abstract class Check {
  private final String name;
  private final String looksFor;

  /**
   * @param name a word for people and programs
   * @param looksFor what it looks for, a sentence without a full stop
   */
  protected Check(String name, String looksFor) {
    this.name = name;
    this.looksFor = looksFor;
  }

  public final String name() {
    return name;
  }

  /** What it looks for, in words. */
  public final String looksFor() {
    return looksFor;
  }

  /**
   * Looks at the cluster.
   *
   * @throws IOException if what it needs is not known
   */
  public final List<Finding> look(Cluster cluster) throws IOException {
    Findings findings = new Findings();
    look(cluster, findings);
    return findings.found;
  }

  /** Looks at the cluster, and notes what it finds. */
  protected abstract void look(Cluster cluster, Findings findings) throws IOException;

  /** Takes what this check finds. For one thread. */
  protected final class Findings {
    private final List<Finding> found = new ArrayList<>();

    /** Something stops volumes or endangers them. */
    public void problem(String what, String wayOut) {
      found.add(new Finding(Finding.Severity.PROBLEM, name, what, wayOut));
    }

    /** Volumes do without, for now. */
    public void warning(String what, String wayOut) {
      found.add(new Finding(Finding.Severity.WARNING, name, what, wayOut));
    }

    /** Nothing is wrong, but who runs the cluster wants to know. */
    public void note(String what) {
      found.add(new Finding(Finding.Severity.NOTE, name, what, ""));
    }
  }
}
