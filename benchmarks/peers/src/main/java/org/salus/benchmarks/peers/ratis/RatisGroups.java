package org.salus.benchmarks.peers.ratis;

import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/** Raft groups of the same servers, which lead them in turn. */
final class RatisGroups {
  static final int SERVERS = 3;

  /** There are so many, from 0. */
  static final int COUNT = 5;

  private RatisGroups() {}

  /**
   * @param addresses of the servers, {@code host:port}
   */
  static RaftGroup group(int number, List<String> addresses) {
    List<RaftPeer> peers =
        IntStream.range(0, SERVERS)
            .mapToObj(
                i ->
                    RaftPeer.newBuilder()
                        .setId(server(i))
                        .setAddress(addresses.get(i))
                        .setPriority(i == number % SERVERS ? 1 : 0)
                        .build())
            .toList();
    return RaftGroup.valueOf(RaftGroupId.valueOf(new UUID(0, number + 1)), peers);
  }

  static RaftPeerId server(int i) {
    return RaftPeerId.valueOf("server" + i);
  }
}
