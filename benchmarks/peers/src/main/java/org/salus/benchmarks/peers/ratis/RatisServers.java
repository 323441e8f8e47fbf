package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.nio.file.Path;
import org.salus.benchmarks.peers.PeerServers;

/** Makes the servers of Ratis. Stateless. */
public final class RatisServers {
  /** A server that does not lead the group of {@link RatisBlocks} while all servers run. */
  public static final int FOLLOWER = RatisGroups.SERVERS - 1;

  private static final String HEAP = "1g";

  private RatisServers() {}

  /** On this machine, on free ports; not started. */
  public static PeerServers here(Path dir) throws IOException {
    return PeerServers.here(dir, RatisServer.class, HEAP, RatisGroups.SERVERS);
  }
}
