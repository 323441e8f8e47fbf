package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.salus.benchmarks.figures.network.MachineNetwork;
import org.salus.benchmarks.figures.network.NetworkMaker.Host;
import org.salus.benchmarks.figures.network.Traffic;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.Placement;

/**
 * Hosts on one machine whose network is the limit: three servers, each with region server and
 * DataNode, one for ZooKeeper and both masters, and one for the client. Immutable.
 */
public final class NetworkPlacement implements Placement {
  public static final int SERVERS = 3;

  /** For benchmarks (RFC 2544): no other network has these addresses. */
  private static final ServerAddresses ADDRESSES = new ServerAddresses("198.18.0.");

  private static final String CLIENT_ADDRESS = "198.18.0.100";
  private static final String MAIN = "main";
  private static final String SERVER = "server";
  private static final String CLIENT = "client";

  private final MachineNetwork network;

  /**
   * @param prefix of the network's namespaces, which another process may have made
   */
  public NetworkPlacement(String prefix) {
    this.network = new MachineNetwork(prefix, names());
  }

  /**
   * Each host by its name.
   *
   * @param link megabits a second of a server in each direction
   * @param client likewise of the client, and of the masters
   */
  public static Map<String, Host> all(int link, int client) {
    Map<String, Host> all =
        new TreeMap<>(
            Map.of(
                MAIN,
                new Host(ADDRESSES.main(), client),
                CLIENT,
                new Host(CLIENT_ADDRESS, client)));
    IntStream.range(0, SERVERS)
        .forEach(i -> all.put(SERVER + i, new Host(ADDRESSES.server(i), link)));
    return all;
  }

  private static List<String> names() {
    return List.copyOf(all(0, 0).keySet());
  }

  /** A command that runs the rest of its line on the client's host. */
  public List<String> onClient() {
    return network.on(CLIENT);
  }

  @Override
  public ServerAddresses addresses() {
    return ADDRESSES;
  }

  @Override
  public List<String> on(Daemon role, int i) {
    return i < 0 ? network.on(MAIN) : onServer(i);
  }

  /** As {@link #onClient}, on a server's. */
  List<String> onServer(int i) {
    return network.on(SERVER + i);
  }

  public Traffic traffic() throws IOException {
    return network.traffic();
  }

  /** What the servers sent, to whomever. */
  public static long sentByServers(Traffic traffic) {
    return traffic.sentBy(IntStream.range(0, SERVERS).mapToObj(i -> SERVER + i).toList());
  }
}
