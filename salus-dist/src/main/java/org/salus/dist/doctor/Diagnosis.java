package org.salus.dist.doctor;

import java.util.List;
import org.salus.dist.doctor.check.Finding;
import org.salus.dist.doctor.check.Finding.Severity;

/**
 * What the doctor says of a cluster. Immutable.
 *
 * @param healthy whether nothing was found that stops or endangers volumes
 * @param problems the number of findings that do
 * @param warnings the number of those that need a look
 * @param findings all, problems first
 * @param checks what was looked for
 */
public record Diagnosis(
    boolean healthy, int problems, int warnings, List<Finding> findings, List<Looked> checks) {
  /**
   * A check.
   *
   * @param looksFor a sentence without a full stop
   */
  public record Looked(String name, String looksFor) {}

  static Diagnosis of(List<Finding> findings, List<Looked> checks) {
    int problems = count(findings, Severity.PROBLEM);
    return new Diagnosis(
        problems == 0,
        problems,
        count(findings, Severity.WARNING),
        List.copyOf(findings),
        List.copyOf(checks));
  }

  private static int count(List<Finding> findings, Severity severity) {
    return (int) findings.stream().filter(f -> f.severity() == severity).count();
  }
}
