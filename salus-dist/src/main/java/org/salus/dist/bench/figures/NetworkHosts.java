package org.salus.dist.bench.figures;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.bench.hosts.HostNetwork;
import org.salus.dist.bench.hosts.Traffic;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.Placement;

/**
 * The hosts of Figure 11 on one machine: three servers, each with region server and DataNode, one for ZooKeeper and both masters,
 * and one for the client. Immutable.
 */
public final class NetworkHosts implements Placement {
  static final int SERVERS = 3;

  /** For benchmarks (RFC 2544): no other network has these addresses. */
  private static final ServerAddresses ADDRESSES = new ServerAddresses("198.18.0.");
  private static final String CLIENT_ADDRESS = "198.18.0.100";
  private static final String MAIN = "main";
  private static final String SERVER = "server";
  private static final String CLIENT = "client";

  private final HostNetwork network;

  /** @param prefix of the network's namespaces, which another process may have made */
  public NetworkHosts(String prefix) {
    this.network = new HostNetwork(prefix, List.copyOf(all().keySet()));
  }

  /** The address of each host by its name. */
  public static Map<String, String> all() {
    Map<String, String> all = new TreeMap<>(Map.of(MAIN, ADDRESSES.main(), CLIENT, CLIENT_ADDRESS));
    IntStream.range(0, SERVERS).forEach(i -> all.put(SERVER + i, ADDRESSES.server(i)));
    return all;
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
    return network.on(i < 0 ? MAIN : SERVER + i);
  }

  Traffic traffic() throws IOException {
    return network.traffic();
  }

  /** What the servers sent, to whomever. */
  static long sentByServers(Traffic traffic) {
    return traffic.sentBy(IntStream.range(0, SERVERS).mapToObj(i -> SERVER + i).toList());
  }
}
