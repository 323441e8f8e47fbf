package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.HdfsSettings;
import org.salus.datanode.hdfs.SalusDataNode;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.host.ServerPorts;

class DaemonServerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path dir;

  @Test
  void aServerThatDoesNotStartSaysWhy() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.regionserver.hostname", "127.0.0.1");
    try (ServerSocket taken = ServerPorts.OTHERS.take("127.0.0.1")) {
      conf.setInt("hbase.regionserver.port", taken.getLocalPort());
      assertThatThrownBy(() -> DaemonServer.run(Daemon.REGIONSERVER, List.of(), conf, () -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Address already in use");
    }
  }

  /** A service manager starts again only what has failed. */
  @Test
  void aServerThatEndsByItselfHasFailed() throws Exception {
    AtomicBoolean up = new AtomicBoolean(true);
    DaemonServer.Running server =
        new DaemonServer.Running(() -> true, up::get, () -> {}, () -> false, () -> "");
    assertThatThrownBy(() -> DaemonServer.serve(server, () -> up.set(false)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended by itself");

    DaemonServer.Running asked =
        new DaemonServer.Running(() -> true, () -> false, () -> {}, () -> true, () -> "");
    AtomicBoolean served = new AtomicBoolean();
    DaemonServer.serve(asked, () -> served.set(true));
    assertThat(served).isTrue();
  }

  /** The procedure of HDFS's guide: a name into the file of excluded nodes, then refreshNodes. */
  @Test
  void aDataNodeIsDecommissionedByTheStandardProcedure() throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    Path excluded = Files.createFile(dir.resolve("excluded"));
    Configuration more = new Configuration(false);
    more.set("dfs.hosts.exclude", excluded.toString());
    HdfsSettings hdfs = HdfsSettings.of(dir.resolve("hdfs"), ServerAddresses.LOOPBACK, 1, more);
    Path conf = dir.resolve("namenode.xml");
    Files.writeString(
        conf,
        "<configuration xmlns:xi='http://www.w3.org/2001/XInclude'>"
            + "<xi:include href='cluster.xml'/></configuration>");
    try (OutputStream to = Files.newOutputStream(dir.resolve("cluster.xml"))) {
      hdfs.nameNode().writeXml(to);
    }
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    DefaultSettings.add(conf);
    DaemonServer.Running nameNode =
        DaemonServer.start(Daemon.NAMENODE, List.of(), DaemonServer.read(conf));
    DataNode dataNode = SalusDataNode.start(hdfs.dataNode(0));
    try (DFSClient client = new DFSClient(hdfs.nameNodeUri(), hdfs.nameNode())) {
      Await.until("one DataNode is live", PATIENCE, () -> states(client).equals(List.of("NORMAL")));
      Files.writeString(excluded, hdfs.dataNodeAddress(0));
      client.refreshNodes();
      assertThat(states(client)).isSubsetOf("DECOMMISSION_INPROGRESS", "DECOMMISSIONED").hasSize(1);
      Files.writeString(excluded, "");
      client.refreshNodes();
      assertThat(states(client)).containsExactly("NORMAL");
    } finally {
      dataNode.shutdown();
      nameNode.stop().run();
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  @Test
  void aMissingIncludeIsNamedBeforeAnythingStarts() throws Exception {
    Path conf = dir.resolve("namenode.xml");
    Files.writeString(
        conf,
        "<configuration xmlns:xi='http://www.w3.org/2001/XInclude'>"
            + "<xi:include href='absent.xml'/></configuration>");
    assertThatThrownBy(() -> DaemonServer.prepare(Daemon.NAMENODE, List.of(), conf))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("absent.xml")
        .hasMessageContaining(conf.toString());
  }

  private static List<String> states(DFSClient client) throws IOException {
    return Stream.of(client.datanodeReport(HdfsConstants.DatanodeReportType.LIVE))
        .map(node -> node.getAdminState().name())
        .toList();
  }

  @Test
  void anErrorWhoseCausesAddNothingStaysAsItIs() {
    Configuration conf = new Configuration(false);
    conf.set(DaemonServer.ZOOKEEPER_DIR, "/dev/null/zookeeper");
    assertThatThrownBy(() -> DaemonServer.run(Daemon.ZOOKEEPER, List.of(), conf, () -> {}))
        .isInstanceOf(FileSystemException.class);
  }
}
