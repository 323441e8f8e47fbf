package org.salus.dist.doctor.cluster;

/**
 * What a NameNode says when it is asked by RPC. Immutable.
 *
 * @param node {@code host:port} of its RPC server
 * @param state active, standby or observer; empty if it does not answer
 * @param guard whether it has Salus' guard
 * @param silence why something of this is not known, in words; else empty
 * @param volumes the directory of all volumes; null if there is none, or it is not known
 */
public record NameNode(String node, String state, Guard guard, String silence, Directory volumes) {
  /** Whether a NameNode has the guard. */
  public enum Guard {
    PRESENT,
    ABSENT,
    UNKNOWN
  }

  /**
   * A directory of HDFS.
   *
   * @param mode its permissions as octal digits
   * @param listed whether an access control list gives more
   */
  public record Directory(String owner, String mode, boolean listed) {}

  /** Whether it is the one that takes changes. */
  public boolean isActive() {
    return state.equals("active");
  }

  /** Its name for people. */
  public String name() {
    return "NameNode " + node + (state.isEmpty() ? "" : " (" + state + ")");
  }
}
