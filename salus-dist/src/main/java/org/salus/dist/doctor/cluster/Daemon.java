package org.salus.dist.doctor.cluster;

import org.salus.dist.need.Role;

/**
 * A daemon of HDFS or HBase. Immutable.
 *
 * @param node {@code host:port} at which others know it
 * @param info {@code host:port} of its info server; empty if it has none
 * @param active whether it is the HBase master that works
 * @param answer what its info server says; null if that does not answer
 * @param silence why it does not answer, in words; else empty
 */
public record Daemon(
    Role role, String node, String info, boolean active, InfoAnswer answer, String silence) {
  /** Its name for people. */
  public String name() {
    return role.words() + " " + node;
  }

  /** Whether its info server answers. */
  public boolean answers() {
    return answer != null;
  }

  /** The machine on which it runs, as others name it. */
  public String host() {
    return node.substring(0, node.lastIndexOf(':'));
  }
}
