package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.salus.benchmarks.figures.network.MachineNetwork;
import org.salus.benchmarks.figures.network.NetworkMaker.LinkedMachine;
import org.salus.benchmarks.figures.network.Traffic;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.Placement;

/**
 * Places the daemons of a cluster on machines with a slow network: three machines with a region
 * server and a DataNode each, one with ZooKeeper and both masters, and one for the client.
 * Immutable.
 */
public final class NetworkPlacement implements Placement {
  public static final int SERVERS = 3;

  /** Addresses that RFC 2544 reserves for benchmarks: no other network has them. */
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
   * Each machine by its name.
   *
   * @param link megabits a second of a server in each direction
   * @param client likewise of the client, and of the masters
   */
  public static Map<String, LinkedMachine> all(int link, int client) {
    Map<String, LinkedMachine> all =
        new TreeMap<>(
            Map.of(
                MAIN,
                new LinkedMachine(ADDRESSES.main(), client),
                CLIENT,
                new LinkedMachine(CLIENT_ADDRESS, client)));
    IntStream.range(0, SERVERS)
        .forEach(i -> all.put(SERVER + i, new LinkedMachine(ADDRESSES.server(i), link)));
    return all;
  }

  private static List<String> names() {
    return List.copyOf(all(0, 0).keySet());
  }

  /** A command that runs the rest of its line on the client's machine. */
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

  /** The bytes that the servers sent, to each other and to others. */
  public static long sentByServers(Traffic traffic) {
    return traffic.sentBy(IntStream.range(0, SERVERS).mapToObj(i -> SERVER + i).toList());
  }
}
