package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.log4j.BasicConfigurator;
import org.apache.log4j.ConsoleAppender;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.util.TimeDuration;
import org.salus.benchmarks.peers.PeerServers;

/** One server of all groups, as a process that ends with the one that has started it. */
final class RatisServer {
  /** 64 MiB of blocks; the default would have a file that is never synced in any run. */
  private static final int SNAPSHOT_ENTRIES = 16 << 10;

  /**
   * The defaults are too short for servers that share their cores, and would have elections all the
   * time.
   */
  private static final TimeDuration LEAST_ELECTION = TimeDuration.valueOf(1, TimeUnit.SECONDS);

  private static final TimeDuration MOST_ELECTION = TimeDuration.valueOf(2, TimeUnit.SECONDS);

  private RatisServer() {}

  /**
   * @param args its directory, its number, and the addresses of all servers
   */
  public static void main(String[] args) throws IOException {
    BasicConfigurator.configure(
        new ConsoleAppender(
            new PatternLayout(PatternLayout.TTCC_CONVERSION_PATTERN), ConsoleAppender.SYSTEM_ERR));
    Logger.getRootLogger().setLevel(Level.WARN);
    Path dir = Path.of(args[0]);
    int number = Integer.parseInt(args[1]);
    List<String> addresses = List.of(args).subList(2, args.length);
    boolean again = Files.exists(dir);
    try (RaftServer server =
        RaftServer.newBuilder()
            .setServerId(RatisGroups.server(number))
            .setGroup(RatisGroups.group(0, addresses))
            .setStateMachineRegistry(group -> new BlockStateMachine())
            .setProperties(properties(dir, addresses.get(number)))
            .setOption(again ? StartupOption.RECOVER : StartupOption.FORMAT)
            .build()) {
      server.start();
      for (int g = 1; g < RatisGroups.COUNT && !again; g++) {
        server.groupManagement(
            GroupManagementRequest.newAdd(
                ClientId.randomId(),
                server.getId(),
                CallId.getAndIncrement(),
                RatisGroups.group(g, addresses)));
      }
      System.out.println(PeerServers.READY);
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static RaftProperties properties(Path dir, String address) {
    RaftProperties p = new RaftProperties();
    int colon = address.lastIndexOf(':');
    GrpcConfigKeys.Server.setHost(p, address.substring(0, colon));
    GrpcConfigKeys.Server.setPort(p, Integer.parseInt(address.substring(colon + 1)));
    // Heartbeats that overtake entries are taken for gaps, and everything is sent anew
    // (RATIS-2242).
    GrpcConfigKeys.Server.setHeartbeatChannel(p, false);
    RaftServerConfigKeys.setStorageDir(p, List.of(dir.toFile()));
    RaftServerConfigKeys.Rpc.setTimeoutMin(p, LEAST_ELECTION);
    RaftServerConfigKeys.Rpc.setTimeoutMax(p, MOST_ELECTION);
    RaftServerConfigKeys.Read.setOption(p, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    RaftServerConfigKeys.Read.setLeaderLeaseEnabled(p, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(p, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(p, SNAPSHOT_ENTRIES);
    return p;
  }
}
