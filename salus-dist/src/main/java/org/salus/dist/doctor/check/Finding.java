package org.salus.dist.doctor.check;

/**
 * What a check has found. Immutable.
 *
 * @param check the name of the check
 * @param what what is wrong, and where, without a full stop
 * @param wayOut what to do, without a full stop; empty if {@code what} says it, or nothing is to do
 */
public record Finding(Severity severity, String check, String what, String wayOut) {
  /** How bad a finding is. */
  public enum Severity {
    /** It stops volumes or endangers them. */
    PROBLEM,
    /** Volumes do without, for now. */
    WARNING,
    /** Nothing is wrong, but who runs the cluster wants to know. */
    NOTE
  }
}
