package org.salus.dist.doctor.cluster;

import org.salus.core.Reason;

/**
 * A region server with Salus in it, as it is registered. Immutable.
 *
 * @param node HBase's name for it, {@code host:port}
 * @param address {@code host:port} of its data port
 * @param dataNode the DataNode of its machine, {@code ip:port}
 * @param strange why this program cannot work with it, in words that follow its name; else empty
 * @param open whether it signs without a secret
 * @param drained whether an operator drains it, so that it gets no members
 */
public record SalusServer(
    String node, String address, String dataNode, String strange, boolean open, boolean drained) {
  /** Whether its secret is not this program's. */
  public boolean hasOtherSecret() {
    return strange.equals(Reason.OTHER_SECRET.words());
  }
}
