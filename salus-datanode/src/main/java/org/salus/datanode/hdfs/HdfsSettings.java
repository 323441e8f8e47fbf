package org.salus.datanode.hdfs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.salus.host.DurableFile;
import org.salus.host.ServerPorts;

/**
 * The settings of an HDFS on one machine: a NameNode and DataNodes, each of these on an address of
 * its own, all data below one directory, which remembers the ports. Immutable.
 */
public final class HdfsSettings {
  private final Path dir;
  private final ServerAddresses addresses;
  private final Properties ports;
  private final Configuration base;
  private final String user;

  private HdfsSettings(
      Path dir, ServerAddresses addresses, Properties ports, Configuration base, String user) {
    this.dir = dir;
    this.addresses = addresses;
    this.ports = ports;
    this.base = base;
    this.user = user;
  }

  /** Settings on top of {@code base}, with free ports for what has none yet. */
  public static HdfsSettings of(
      Path dir, ServerAddresses addresses, int dataNodes, Configuration base) throws IOException {
    Path absolute = Files.createDirectories(dir.toAbsolutePath());
    for (int i = 0; i < dataNodes; i++) {
      // Hadoop would look the address up, which takes seconds where no name server answers.
      NetUtils.addStaticResolution(addresses.server(i), addresses.server(i));
    }
    return new HdfsSettings(
        absolute,
        addresses,
        ports(absolute, addresses, dataNodes),
        base,
        UserGroupInformation.getCurrentUser().getShortUserName());
  }

  /** The NameNode's settings, and those of clients. */
  public Configuration nameNode() {
    Configuration c = new HdfsConfiguration(base);
    c.set("fs.defaultFS", nameNodeUri().toString());
    c.set("dfs.namenode.http-address", addresses.main() + ":" + ports.getProperty("namenode.http"));
    c.set("dfs.namenode.name.dir", dir.resolve("namenode").toUri().toString());
    c.setBoolean("dfs.namenode.datanode.registration.ip-hostname-check", false);
    c.setInt("dfs.namenode.handler.count", 6);
    c.setInt("dfs.namenode.service.handler.count", 2);
    c.setInt("dfs.namenode.safemode.extension", 0);
    c.setInt("dfs.heartbeat.interval", 1);
    c.setInt("dfs.namenode.heartbeat.recheck-interval", 1000);
    c.setInt("dfs.namenode.redundancy.interval.seconds", 1);
    // A copy that was ordered from, or for, a DataNode that had just died is ordered again.
    c.setInt("dfs.namenode.reconstruction.pending.timeout-sec", 10);
    c.setInt("dfs.namenode.fs-limits.min-block-size", 1024);
    c.setInt("dfs.replication", 3);
    c.setInt("dfs.datanode.handler.count", 2);
    return c;
  }

  /** The settings of a DataNode, and of clients that are on its host. */
  public Configuration dataNode(int i) {
    Configuration c = nameNode();
    String address = addresses.server(i);
    String name = "datanode" + i;
    c.set("dfs.datanode.data.dir", dir.resolve(name).toUri().toString());
    c.set("dfs.datanode.address", address + ":" + ports.getProperty(name + ".xfer"));
    c.set("dfs.datanode.ipc.address", address + ":" + ports.getProperty(name + ".ipc"));
    c.set("dfs.datanode.http.address", address + ":" + ports.getProperty(name + ".http"));
    c.set("dfs.datanode.hostname", address);
    c.set("dfs.block.local-path-access.user", user);
    // Whoever closes a file finds it again after a power cut: HBase does not sync what it writes
    // otherwise.
    c.setBoolean("dfs.datanode.synconclose", true);
    c.set(BindingSocketFactory.ADDRESS_KEY, address);
    c.set("hadoop.rpc.socket.factory.class.default", BindingSocketFactory.class.getName());
    return c;
  }

  /** "ip:port" of a DataNode's data transfer server, as location hints name it. */
  public String dataNodeAddress(int i) {
    return addresses.server(i) + ":" + ports.getProperty("datanode" + i + ".xfer");
  }

  /** For {@code fs.defaultFS}. */
  public URI nameNodeUri() {
    return URI.create("hdfs://" + addresses.main() + ":" + ports.getProperty("namenode.rpc"));
  }

  /** Where the servers are. */
  public ServerAddresses addresses() {
    return addresses;
  }

  Path dir() {
    return dir;
  }

  /** Ports chosen at the first start; a later start with more DataNodes adds theirs. */
  private static Properties ports(Path dir, ServerAddresses addresses, int dataNodes)
      throws IOException {
    Path file = dir.resolve("ports.properties");
    Properties ports = new Properties();
    if (Files.exists(file)) {
      try (var in = Files.newInputStream(file)) {
        ports.load(in);
      }
    }
    List<ServerSocket> held = new ArrayList<>();
    try {
      choose(ports, held, addresses.local(addresses.main()), "namenode.rpc", "namenode.http");
      for (int i = 0; i < dataNodes; i++) {
        String name = "datanode" + i;
        choose(
            ports,
            held,
            addresses.local(addresses.server(i)),
            name + ".xfer",
            name + ".ipc",
            name + ".http");
      }
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ports.store(out, null);
    DurableFile.write(file, out.toByteArray());
    return ports;
  }

  private static void choose(
      Properties ports, List<ServerSocket> held, String address, String... keys)
      throws IOException {
    for (String key : keys) {
      if (ports.getProperty(key) == null) {
        ServerSocket socket = ServerPorts.HDFS.take(address);
        held.add(socket);
        ports.setProperty(key, Integer.toString(socket.getLocalPort()));
      }
    }
  }
}
