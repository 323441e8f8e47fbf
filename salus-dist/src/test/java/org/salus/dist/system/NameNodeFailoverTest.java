package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.qjournal.server.JournalNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider;
import org.apache.hadoop.hdfs.tools.DFSZKFailoverController;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.datanode.hdfs.GuardPlugin;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * A volume on an HDFS with two NameNodes, which share a journal and fail over by themselves, and on
 * an HBase with two masters. The active ones are killed while it is written.
 */
@Tag("cluster")
@Tag("slow")
class NameNodeFailoverTest {
  private static final int SERVERS = 4;
  private static final int JOURNALS = 3;
  private static final int SIZE = 32 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(180);
  private static final String LOOPBACK = "127.0.0.1:";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private final List<AutoCloseable> processes = new ArrayList<>();
  private final Map<String, StockDaemon> nameNodes = new HashMap<>();
  private LocalCluster cluster;

  @AfterEach
  void killAll() throws Exception {
    cluster.kill();
    for (AutoCloseable p : processes) {
      p.close();
    }
  }

  @Test
  @Timeout(900)
  void noWriteIsLostAndNoneFailsWhileTheActiveOnesAreKilled() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(SERVERS, Map.of(), step -> {});
    try (SalusClient client = connect()) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
    }
    cluster.stop(step -> {});
    startWithTwoOfEach();
    try (SalusClient client = connect()) {
      Await.until("the volume is healthy", PATIENCE, () -> isHealthy(client));
      byte[] written;
      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(500);
        writer.longestMillis();

        nameNodes.get("nn1").close();
        writer.awaitMore(3_000);
        System.out.println("killed the active NameNode: " + writer.longestMillis() + " ms");
        replaceAMember(client, 0);
        writer.awaitMore(1_000);
        System.out.println("and then a region server: " + writer.longestMillis() + " ms");

        startNameNode("nn1");
        nameNodes.get("nn2").close();
        kill(cluster.daemon(Daemon.REGIONSERVER, 1));
        writer.awaitMore(1_000);
        System.out.println("killed both at once: " + writer.longestMillis() + " ms");
        startNameNode("nn2");
        cluster.daemon(Daemon.REGIONSERVER, 1).start();
        Await.until("the volume is healthy again", PATIENCE, () -> isHealthy(client));

        kill(cluster.daemon(Daemon.MASTER, -1));
        writer.awaitMore(1_000);
        replaceAMember(client, 2);
        writer.awaitMore(1_000);
        System.out.println("killed the master, then a server: " + writer.longestMillis() + " ms");
        written = writer.stop();
      }
      assertThat(read(client)).isEqualTo(written);
    }
  }

  /** Kills a region server and starts it again once the volume goes on without it. */
  private void replaceAMember(SalusClient client, int server) throws Exception {
    int epochs = epochs(client);
    kill(cluster.daemon(Daemon.REGIONSERVER, server));
    Await.until("a region has a new epoch", PATIENCE, () -> epochs(client) > epochs);
    cluster.daemon(Daemon.REGIONSERVER, server).start();
    Await.until("the volume is healthy", PATIENCE, () -> isHealthy(client));
  }

  private static void kill(DaemonProcess daemon) throws Exception {
    ProcessHandle running = daemon.running();
    running.destroyForcibly();
    running.onExit().get();
  }

  private static int epochs(SalusClient client) {
    return client.info("disk").regions().stream().mapToInt(r -> r.epoch()).sum();
  }

  private SalusClient connect() throws Exception {
    return SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()));
  }

  private static boolean isHealthy(SalusClient client) {
    return client.info("disk").health().equals("healthy");
  }

  private static byte[] read(SalusClient client) throws Exception {
    ByteBuffer all = ByteBuffer.allocate(SIZE);
    try (Volume v = client.open("disk")) {
      v.read(0, all).join();
    }
    return all.array();
  }

  // ---- two of each ----

  private Path conf(String name) {
    return cluster.dir().resolve("conf/" + name + ".xml");
  }

  private Configuration read(String name) {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(conf(name).toUri()));
    return conf;
  }

  private void write(String name, Configuration conf) throws IOException {
    try (OutputStream to = Files.newOutputStream(conf(name))) {
      conf.writeXml(to);
    }
  }

  /** Changes every daemon's settings, as an operator does who adds a NameNode and a master. */
  private void addAnother() throws IOException {
    Configuration alone = read("namenode");
    Map<String, String> ha = new HashMap<>();
    ha.put("fs.defaultFS", "hdfs://ha");
    ha.put("dfs.nameservices", "ha");
    ha.put("dfs.ha.namenodes.ha", "nn1,nn2");
    ha.put("dfs.namenode.rpc-address.ha.nn1", FileSystem.getDefaultUri(alone).getAuthority());
    ha.put("dfs.namenode.rpc-address.ha.nn2", LOOPBACK + StandaloneProcess.freePort());
    ha.put(
        "dfs.namenode.http-address.ha.nn1", alone.get(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY));
    ha.put("dfs.namenode.http-address.ha.nn2", LOOPBACK + StandaloneProcess.freePort());
    ha.put(
        "dfs.client.failover.proxy.provider.ha", ConfiguredFailoverProxyProvider.class.getName());
    ha.put(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, "false"); // for one NameNode only
    List<String> names;
    try (Stream<Path> files = Files.list(cluster.dir().resolve("conf"))) {
      names =
          files
              .map(f -> f.getFileName().toString())
              .filter(n -> n.endsWith(".xml") && !n.startsWith("zookeeper"))
              .map(n -> n.substring(0, n.length() - ".xml".length()))
              .toList();
    }
    for (String name : names) {
      Configuration conf = read(name);
      conf.unset(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY);
      ha.forEach(conf::set);
      if (conf.get("hbase.rootdir") != null) {
        conf.set("hbase.rootdir", "hdfs://ha/hbase");
      }
      write(name, conf);
    }
    List<String> journals = new ArrayList<>();
    for (int i = 0; i < JOURNALS; i++) {
      Configuration conf = read("namenode");
      String address = LOOPBACK + StandaloneProcess.freePort();
      journals.add(address);
      conf.set(DFSConfigKeys.DFS_JOURNALNODE_RPC_ADDRESS_KEY, address);
      conf.set(
          DFSConfigKeys.DFS_JOURNALNODE_HTTP_ADDRESS_KEY, LOOPBACK + StandaloneProcess.freePort());
      conf.set(DFSConfigKeys.DFS_JOURNALNODE_EDITS_DIR_KEY, dir.resolve("journal" + i).toString());
      write("journal" + i, conf);
    }
    String journal = String.join(";", journals);
    for (String id : List.of("nn1", "nn2")) {
      Configuration conf = read("namenode");
      conf.set("dfs.ha.namenode.id", id);
      conf.set("dfs.namenode.shared.edits.dir", "qjournal://" + journal + "/ha");
      conf.set(DFSConfigKeys.DFS_HA_AUTO_FAILOVER_ENABLED_KEY, "true");
      conf.set(DFSConfigKeys.DFS_HA_FENCE_METHODS_KEY, "shell(/bin/true)");
      conf.setInt(DFSConfigKeys.DFS_HA_ZKFC_PORT_KEY, StandaloneProcess.freePort());
      conf.set("ha.zookeeper.quorum", cluster.zookeeper());
      conf.setInt("ha.zookeeper.session-timeout.ms", 3_000);
      conf.set(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, GuardPlugin.class.getName());
      conf.set(DFSConfigKeys.DFS_LEASE_HARDLIMIT_KEY, "315360000");
      if (id.equals("nn2")) {
        conf.set("dfs.namenode.name.dir", dir.resolve("namenode2").toUri().toString());
      }
      write(id, conf);
      write("zkfc-" + id, conf);
    }
    Configuration master = read("master");
    master.setInt("hbase.master.port", StandaloneProcess.freePort());
    write("master2", master);
  }

  private void startWithTwoOfEach() throws Exception {
    addAnother();
    cluster.daemon(Daemon.ZOOKEEPER, -1).start();
    cluster.daemon(Daemon.ZOOKEEPER, -1).awaitReady();
    for (int i = 0; i < JOURNALS; i++) {
      start("journal" + i, JournalNode.class, Map.of());
    }
    run("nn1", NameNode.class, "-initializeSharedEdits", "-nonInteractive");
    startNameNode("nn1");
    run("nn2", NameNode.class, "-bootstrapStandby", "-nonInteractive");
    startNameNode("nn2");
    run("zkfc-nn1", DFSZKFailoverController.class, "-formatZK", "-nonInteractive");
    start("zkfc-nn1", DFSZKFailoverController.class, Map.of());
    start("zkfc-nn2", DFSZKFailoverController.class, Map.of());
    for (int i = 0; i < SERVERS; i++) {
      processes.add(StockDaemon.startDataNode(cluster, i));
    }
    cluster.daemon(Daemon.MASTER, -1).start();
    startSecondMaster();
    for (int i = 0; i < SERVERS; i++) {
      cluster.daemon(Daemon.REGIONSERVER, i).start();
    }
  }

  private void startNameNode(String id) throws IOException {
    nameNodes.put(id, start(id, NameNode.class, Map.of()));
  }

  private void startSecondMaster() throws IOException {
    Process master =
        new ProcessBuilder(
                StandaloneProcess.java(
                    "-Xmx384m",
                    Salus.class.getName(),
                    "daemon",
                    "master",
                    "--conf",
                    conf("master2").toString(),
                    "--log",
                    dir.resolve("master2.log").toString()))
            .inheritIO()
            .start();
    processes.add(() -> master.destroyForcibly().waitFor());
  }

  private StockDaemon start(String name, Class<?> main, Map<String, String> more)
      throws IOException {
    StockDaemon started = StockDaemon.start(cluster, name, main, more);
    processes.add(started);
    return started;
  }

  private void run(String name, Class<?> main, String... arguments) throws Exception {
    StockDaemon ran = StockDaemon.start(cluster, name, main, Map.of(), arguments);
    assertThat(ran.process().waitFor()).as("%s", ran.said()).isZero();
  }
}
