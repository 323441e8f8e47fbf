package org.salus.dist.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.VolumeInfo;
import org.salus.core.Reason;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.doctor.hbase.zk.HBaseServers;
import org.salus.dist.doctor.hdfs.NameNodes;
import org.salus.dist.doctor.json.InfoServer;
import org.salus.dist.need.Role;
import org.salus.host.DaemonThreads;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DrainedServers;
import org.salus.host.zk.ServerRecord;

/**
 * A cluster that runs. ZooKeeper tells the daemons of HBase, their settings tell the NameNodes, and
 * these tell the DataNodes. Thread-safe.
 */
public final class LiveCluster implements Cluster, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int PATIENCE_MILLIS = (int) PATIENCE.toMillis();
  private static final String WITHIN = " within " + PATIENCE.toSeconds() + " s";

  private final String quorum;
  private final byte[] secret;
  private final Map<String, String> settings;
  private final SalusClient client;
  private final ClusterStore store;
  private final SideBySide many = new SideBySide();
  private final ExecutorService web =
      Executors.newCachedThreadPool(DaemonThreads.named("salus-doctor-web"));
  private final InfoServer infoServers = new InfoServer(web, PATIENCE);

  private final Fact<List<HBaseServers.Server>> hbase = new Fact<>(this::findHBase);
  private final Fact<List<Daemon>> hbaseDaemons = new Fact<>(this::askHBase);
  private final Fact<NameNodes> nameNodes = new Fact<>(this::findNameNodes);
  private final Fact<List<NameNode>> guards = new Fact<>(this::askNameNodes);
  private final Fact<HdfsState> hdfs = new Fact<>(this::askHdfs);
  private final Fact<List<Daemon>> hdfsDaemons = new Fact<>(this::askHdfsDaemons);
  private final Fact<List<SalusServer>> servers = new Fact<>(this::findServers);
  private final Fact<List<VolumeInfo>> volumes = new Fact<>(this::askVolumes);

  private LiveCluster(
      String quorum,
      byte[] secret,
      Map<String, String> settings,
      SalusClient client,
      ClusterStore store) {
    this.quorum = quorum;
    this.secret = secret;
    this.settings = Map.copyOf(settings);
    this.client = client;
    this.store = store;
  }

  /**
   * Connects to ZooKeeper.
   *
   * @param client settings of a client
   * @param all these and others, of HBase and HDFS, that say where daemons are
   * @throws SalusException.Unavailable if ZooKeeper does not answer
   */
  public static LiveCluster connect(Map<String, String> client, Map<String, String> all) {
    SalusClient connected = SalusClient.connect(client);
    ClientSettings known = ClientSettings.from(client);
    try {
      return new LiveCluster(
          known.zookeeperQuorum(),
          ClusterSettings.from(client).secret().getBytes(StandardCharsets.UTF_8),
          all,
          connected,
          ClusterStore.connect(known.zookeeperQuorum(), known.connectTimeout(), PATIENCE));
    } catch (ClusterStoreException failed) {
      connected.close();
      throw new SalusException.Unavailable(failed.getMessage(), failed);
    }
  }

  private List<HBaseServers.Server> findHBase() throws IOException {
    return HBaseServers.read(quorum, settings, PATIENCE_MILLIS);
  }

  private List<Daemon> askHBase() throws IOException {
    return many.ask(
        hbase.get(), s -> daemon(s.role(), s.node(), info(s.node(), s.infoPort()), s.active()));
  }

  private static String info(String node, int port) {
    return port <= 0 ? "" : node.substring(0, node.lastIndexOf(':')) + ":" + port;
  }

  private Daemon daemon(Role role, String node, String info, boolean active) {
    if (info.isEmpty()) {
      return new Daemon(role, node, info, active, null, "it has no info server");
    }
    try {
      boolean withMetrics = role == Role.REGIONSERVER || active;
      return new Daemon(role, node, info, active, infoServers.ask(info, withMetrics), "");
    } catch (IOException silent) {
      return new Daemon(role, node, info, active, null, silent.getMessage());
    }
  }

  /** What the operator says counts more than what a daemon of HBase knows of HDFS. */
  private NameNodes findNameNodes() throws IOException {
    Map<String, String> known = new HashMap<>();
    hbaseDaemons.get().stream()
        .filter(Daemon::answers)
        .findFirst()
        .ifPresent(d -> known.putAll(d.answer().settings()));
    known.putAll(settings);
    try {
      return TimeLimit.within(PATIENCE, () -> new NameNodes(known, PATIENCE_MILLIS));
    } catch (TimeoutException late) {
      throw new IOException("the names of the NameNodes are not looked up" + WITHIN, late);
    }
  }

  private List<NameNode> askNameNodes() throws IOException {
    NameNodes all = nameNodes.get();
    return many.ask(
        all.addresses(),
        a ->
            inTime(
                () -> all.ask(a),
                new NameNode(a.node(), "", NameNode.Guard.UNKNOWN, "no answer" + WITHIN, null)));
  }

  private static <T> T inTime(Callable<T> question, T late) {
    try {
      return TimeLimit.within(PATIENCE, question);
    } catch (TimeoutException | IOException unanswered) {
      return late;
    }
  }

  /** The word of the active NameNode counts, or else that of another one. */
  private HdfsState askHdfs() throws IOException {
    List<String> active =
        guards.get().stream().filter(NameNode::isActive).map(NameNode::node).toList();
    List<NameNodes.Address> inOrder = new ArrayList<>(nameNodes.get().addresses());
    inOrder.sort((a, b) -> Boolean.compare(active.contains(b.node()), active.contains(a.node())));
    IOException silent = new IOException("no NameNode is known");
    for (NameNodes.Address a : inOrder) {
      try {
        return infoServers.hdfs(a.node(), a.info());
      } catch (IOException failed) {
        silent = failed;
      }
    }
    throw new IOException("the state of HDFS is not known: " + silent.getMessage(), silent);
  }

  private List<Daemon> askHdfsDaemons() throws IOException {
    List<Daemon> all =
        new ArrayList<>(
            many.ask(
                nameNodes.get().addresses(),
                a -> daemon(Role.NAMENODE, a.node(), a.info(), false)));
    all.addAll(
        many.ask(
            knownDataNodes().stream().filter(HdfsState.DataNode::live).toList(),
            n -> daemon(Role.DATANODE, n.transfer(), n.info(), false)));
    return all;
  }

  @Override
  public List<Daemon> daemons() throws IOException {
    List<Daemon> all = new ArrayList<>(hbaseDaemons.get());
    try {
      all.addAll(hdfsDaemons.get());
    } catch (IOException unknown) { // whoever asks for the NameNodes is told
      return all;
    }
    return all;
  }

  @Override
  public List<NameNode> nameNodes() throws IOException {
    return guards.get();
  }

  @Override
  public HdfsState hdfs() throws IOException {
    return hdfs.get();
  }

  private List<SalusServer> findServers() throws IOException {
    Map<String, ServerRecord> registered = store.servers();
    Map<String, Reason> strangers = ServerRecord.strangers(registered, secret);
    Set<String> drained = store.drained().all();
    List<SalusServer> all = new ArrayList<>();
    registered.forEach(
        (node, s) ->
            all.add(
                new SalusServer(
                    node,
                    s.host() + ":" + s.port(),
                    s.dataNode(),
                    strangers.containsKey(node) ? strangers.get(node).words() : "",
                    s.isSigned(node, new byte[0]),
                    drained.stream().anyMatch(d -> DrainedServers.isAbout(d, node)))));
    return all;
  }

  @Override
  public List<SalusServer> servers() throws IOException {
    return servers.get();
  }

  private List<VolumeInfo> askVolumes() {
    return client.infos();
  }

  @Override
  public List<VolumeInfo> volumes() throws IOException {
    return volumes.get();
  }

  @Override
  public String zookeeper() {
    return quorum;
  }

  @Override
  public Map<String, String> unreachable(Collection<String> addresses) throws IOException {
    Map<String, String> failures =
        each(addresses, a -> inTime(() -> connectionFailure(a), "no connection" + WITHIN));
    failures.values().removeIf(String::isEmpty);
    return failures;
  }

  @Override
  public Map<String, String> addresses(Collection<String> hosts) throws IOException {
    return each(hosts, h -> inTime(() -> ip(h), ""));
  }

  private Map<String, String> each(Collection<String> what, Function<String, String> answer)
      throws IOException {
    List<String> asked = what.stream().distinct().toList();
    List<String> answers = many.ask(asked, answer);
    Map<String, String> all = new TreeMap<>();
    for (int i = 0; i < asked.size(); i++) {
      all.put(asked.get(i), answers.get(i));
    }
    return all;
  }

  private static String connectionFailure(String address) {
    int colon = address.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(
              address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
          PATIENCE_MILLIS);
      return "";
    } catch (UnknownHostException unknown) {
      return "its name is not known here";
    } catch (SocketTimeoutException late) {
      return "no connection" + WITHIN;
    } catch (IOException | IllegalArgumentException failed) { // the latter for a wrong port
      return String.valueOf(failed.getMessage());
    }
  }

  private static String ip(String host) {
    try {
      return InetAddress.getByName(host).getHostAddress();
    } catch (UnknownHostException unknown) {
      return "";
    }
  }

  @Override
  public void close() {
    many.close();
    web.shutdownNow();
    store.close();
    client.close();
  }
}
