package org.salus.dist.bench.figures.ratis;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.salus.common.ServerPorts;
import org.salus.dist.bench.figures.PeerServers;
import org.salus.dist.bench.figures.PeerServers.Host;

/** Makes the servers of Ratis. Stateless. */
public final class RatisServers {
  /** A server that does not lead the group of {@link RatisBlocks.Reads#ANY} while all are well. */
  public static final int FOLLOWER = RatisGroups.SERVERS - 1;

  private static final String ADDRESS = "127.0.0.1";
  private static final String HEAP = "1g";

  private RatisServers() {}

  /** On this machine, on free ports; not started. */
  public static PeerServers here(Path dir) throws IOException {
    List<ServerSocket> free = new ArrayList<>();
    List<Host> hosts = new ArrayList<>();
    for (int i = 0; i < RatisGroups.SERVERS; i++) {
      free.add(ServerPorts.take(ADDRESS));
      hosts.add(new Host(List.of(), ADDRESS + ":" + free.get(i).getLocalPort()));
    }
    for (ServerSocket socket : free) {
      socket.close();
    }
    return new PeerServers(dir, RatisServer.class, HEAP, hosts);
  }
}
