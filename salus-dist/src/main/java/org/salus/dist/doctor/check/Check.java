package org.salus.dist.doctor.check;

import java.io.IOException;
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
    Findings findings = new Findings(name);
    look(cluster, findings);
    return findings.all();
  }

  /** Looks at the cluster, and notes what it finds. */
  protected abstract void look(Cluster cluster, Findings findings) throws IOException;
}
