package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate-checking NameNode and some DataNodes in this process, each DataNode on a loopback address of its own. A
 * start on the same directory has the same ports and the same data.
 */
public final class EmbeddedHdfs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedHdfs.class);
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final String NAME_NODE_ADDRESS = "127.0.0.1";

  private final Path dir;
  private final Properties ports;
  private final Configuration conf;
  private final List<Configuration> dataNodeConfs = new ArrayList<>();
  private final List<DataNode> dataNodes = new ArrayList<>();
  private NameNode nameNode;

  private EmbeddedHdfs(Path dir, Properties ports, Configuration base) throws IOException {
    this.dir = dir;
    this.ports = ports;
    this.conf = nameNodeConf(base);
  }

  /** Starts, and returns when all DataNodes can take blocks. {@code base} overrides nothing that is set here. */
  public static EmbeddedHdfs start(Path dir, int dataNodes, Configuration base) throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    Path absolute = Files.createDirectories(dir.toAbsolutePath());
    EmbeddedHdfs hdfs = new EmbeddedHdfs(absolute, ports(absolute, dataNodes), base);
    try {
      hdfs.startAll(dataNodes);
      return hdfs;
    } catch (IOException | RuntimeException e) {
      hdfs.stop();
      throw e;
    }
  }

  private void startAll(int count) throws IOException {
    Path names = dir.resolve("namenode");
    if (!Files.exists(names.resolve("current/VERSION"))) {
      NameNode.format(conf);
    }
    nameNode = new SalusNameNode(conf);
    for (int i = 0; i < count; i++) {
      dataNodeConfs.add(newDataNodeConf(i));
      dataNodes.add(DataNode.createDataNode(new String[0], dataNodeConfs.get(i)));
    }
    awaitReady();
  }

  private Configuration nameNodeConf(Configuration base) {
    Configuration c = new HdfsConfiguration(base);
    c.set("fs.defaultFS", "hdfs://" + NAME_NODE_ADDRESS + ":" + ports.getProperty("namenode.rpc"));
    c.set("dfs.namenode.http-address", NAME_NODE_ADDRESS + ":" + ports.getProperty("namenode.http"));
    c.set("dfs.namenode.name.dir", dir.resolve("namenode").toUri().toString());
    c.setBoolean("dfs.namenode.datanode.registration.ip-hostname-check", false);
    c.setInt("dfs.namenode.handler.count", 6);
    c.setInt("dfs.namenode.service.handler.count", 2);
    c.setInt("dfs.namenode.safemode.extension", 0);
    c.setInt("dfs.heartbeat.interval", 1);
    c.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    c.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    c.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    c.setInt("dfs.replication", 3);
    c.setInt("dfs.datanode.handler.count", 2);
    return c;
  }

  private Configuration newDataNodeConf(int i) throws IOException {
    Configuration c = new HdfsConfiguration(conf);
    String address = address(i);
    DataNodeRpc.withoutLookUp(address);
    String name = "datanode" + i;
    c.set("dfs.datanode.data.dir", dir.resolve(name).toUri().toString());
    c.set("dfs.datanode.address", address + ":" + ports.getProperty(name + ".xfer"));
    c.set("dfs.datanode.ipc.address", address + ":" + ports.getProperty(name + ".ipc"));
    c.set("dfs.datanode.http.address", address + ":" + ports.getProperty(name + ".http"));
    c.set("dfs.datanode.hostname", address);
    c.set("dfs.block.local-path-access.user", UserGroupInformation.getCurrentUser().getShortUserName());
    c.set(BindingSocketFactory.ADDRESS_KEY, address);
    c.set("hadoop.rpc.socket.factory.class.default", BindingSocketFactory.class.getName());
    return c;
  }

  private static String address(int i) {
    return "127.0.0." + (11 + i);
  }

  /** Ports chosen at the first start; a later start with more DataNodes adds theirs. */
  private static Properties ports(Path dir, int dataNodes) throws IOException {
    Path file = dir.resolve("ports.properties");
    Properties ports = new Properties();
    if (Files.exists(file)) {
      try (var in = Files.newInputStream(file)) {
        ports.load(in);
      }
    }
    List<ServerSocket> held = new ArrayList<>();
    try {
      choose(ports, held, NAME_NODE_ADDRESS, "namenode.rpc", "namenode.http");
      for (int i = 0; i < dataNodes; i++) {
        String name = "datanode" + i;
        choose(ports, held, address(i), name + ".xfer", name + ".ipc", name + ".http");
      }
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
    try (var out = Files.newOutputStream(file)) {
      ports.store(out, null);
    }
    return ports;
  }

  private static void choose(Properties ports, List<ServerSocket> held, String address, String... keys)
      throws IOException {
    for (String key : keys) {
      if (ports.getProperty(key) == null) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address));
        held.add(socket);
        ports.setProperty(key, Integer.toString(socket.getLocalPort()));
      }
    }
  }

  private void awaitReady() throws IOException {
    long end = System.nanoTime() + START_NANOS;
    while (!ready()) {
      if (System.nanoTime() > end) {
        throw new IOException("HDFS in " + dir + " is not ready after "
            + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** A DataNode can take blocks once a heartbeat has told its capacity. */
  private boolean ready() throws IOException {
    if (nameNode.isInSafeMode() || nameNode.getNamesystem().getNumLiveDataNodes() < dataNodes.size()) {
      return false;
    }
    for (DatanodeInfo node : nameNode.getRpcServer().getDatanodeReport(DatanodeReportType.LIVE)) {
      if (node.getCapacity() == 0) {
        return false;
      }
    }
    return dataNodes.stream().allMatch(DataNode::isDatanodeFullyStarted);
  }

  /** For clients. */
  public Configuration conf() {
    return new Configuration(conf);
  }

  /** For {@code fs.defaultFS}. */
  public URI nameNodeUri() {
    return URI.create(conf.get("fs.defaultFS"));
  }

  /** Configuration of a DataNode, for clients that are on its host. */
  public Configuration dataNodeConf(int i) {
    return new Configuration(dataNodeConfs.get(i));
  }

  /** "ip:port" of a DataNode's data transfer server, as location hints name it. */
  public String dataNodeAddress(int i) {
    return address(i) + ":" + ports.getProperty("datanode" + i + ".xfer");
  }

  /** Stops one DataNode: its connections drop, its files stay. */
  public void stopDataNode(int i) {
    dataNodes.get(i).shutdown();
  }

  /** Starts a stopped DataNode on its files and ports, and waits until it serves. */
  public void startDataNode(int i) throws IOException {
    dataNodes.set(i, DataNode.createDataNode(new String[0], dataNodeConfs.get(i)));
    awaitReady();
  }

  /** Stops all; the files stay. */
  public void stop() {
    for (DataNode dataNode : dataNodes) {
      try {
        dataNode.shutdown();
      } catch (IllegalStateException processEnds) {
        LOG.debug("Hadoop cannot take its shutdown hook back while the process ends", processEnds);
      }
    }
    if (nameNode != null) {
      nameNode.stop();
      nameNode.join();
    }
  }

  @Override
  public void close() {
    stop();
  }
}
