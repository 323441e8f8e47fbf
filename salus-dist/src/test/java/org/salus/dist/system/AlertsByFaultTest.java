package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * A real Prometheus scrapes a cluster of processes, and its alerts fire because of real faults.
 * Each fault is mended, and the next test begins when no alert is left, except those that {@link
 * #SLOW_TO_END}.
 */
@Tag("cluster")
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(420)
class AlertsByFaultTest {
  private static final int SERVERS = 4;
  private static final int ODD = SERVERS - 1;
  private static final int SIZE = 16 << 20;
  private static final int BLOCK = 4096;
  private static final int UNSYNCED = 64 << 10;

  /** The size of a DataNode's disk. HBase's files need several blocks of 128 MB. */
  private static final long DISK = 4L << 30;

  /** The seconds for which a healthy cluster is watched: the longest time of an alert, and more. */
  private static final int WATCHED = 70;

  private static final int BUSY_REGIONS = 8;
  private static final int REPLACEMENTS = 7;
  private static final int SHRINKS = 20;
  private static final long SHRINK_MILLIS = 1000;
  private static final long STALL_MILLIS = 1500;
  private static final long BETWEEN_STALLS_MILLIS = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(150);
  private static final String LOG = "SAL" + LogRecord.FORMAT;

  /** They look back on more than the other alerts do. */
  private static final Set<String> SLOW_TO_END =
      Set.of("SalusReplacementStorm", "SalusWrongAnswer", "SalusRoomEnds");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  static Path dir;

  private static final List<Path> disks = new ArrayList<>();
  private static final String metrics = "127.0.0.1:" + StandaloneProcess.freePort();
  private static final String otherMetrics = "127.0.0.1:" + StandaloneProcess.freePort();
  private static LocalCluster cluster;
  private static SalusClient client;
  private static DaemonProcess bridge;
  private static DaemonProcess otherBridge;
  private static Process load;
  private static Prometheus prometheus;

  @BeforeAll
  static void start() throws Exception {
    Path root = dir.resolve("cluster");
    for (int i = 0; i < SERVERS; i++) {
      Path disk = Files.createDirectories(root.resolve("hdfs/datanode" + i));
      Shell.run("mount", "-t", "tmpfs", "-o", "size=" + DISK, "tmpfs", disk.toString());
      disks.add(disk);
    }
    cluster = LocalCluster.withPages(root);
    startServers();
    client =
        SalusClient.connect(
            Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"));
    for (String volume : List.of("disk", "other", "own")) {
      create(volume);
    }
    bridge = bridge("disk", metrics, List.of());
    otherBridge = bridge("other", otherMetrics, List.of());
    for (DaemonProcess b : List.of(bridge, otherBridge)) {
      b.start();
      b.awaitReady();
    }
    prometheus =
        Prometheus.start(
            dir.resolve("prometheus"),
            Map.of(
                "salus-master",
                List.of(master()),
                "salus-regionserver",
                List.of(server(0), server(1), server(2), server(ODD)),
                "salus-namenode",
                List.of(nameNode()),
                "salus-nbd",
                List.of(metrics, otherMetrics)));
  }

  private static void startServers() throws IOException {
    cluster.start(
        SERVERS, Map.of("salus.scrub.interval", "1s", "salus.scrub.rate", "100m"), step -> {});
  }

  private static void create(String volume) {
    client.create(volume, SIZE, new CreateOptions(BLOCK, false, 1));
  }

  private static DaemonProcess bridge(String volume, String shows, List<String> on)
      throws IOException {
    return DaemonProcess.bridge(
        cluster.dir(),
        volume,
        on,
        dir.resolve(volume + ".socket"),
        List.of("--zookeeper", cluster.zookeeper(), "--metrics", shows, "--force"));
  }

  @BeforeEach
  void putLoadOnTheBridge() throws IOException {
    if (load == null || !load.isAlive()) {
      load = load();
    }
  }

  /** A little of everything, until a request fails. */
  private static Process load() throws IOException {
    return new ProcessBuilder(
            "fio",
            "--ioengine=nbd",
            "--uri=nbd+unix:///disk?socket=" + dir.resolve("disk.socket"),
            "--name=load",
            "--rw=randrw",
            "--bs=16k",
            "--rate_iops=20",
            "--fsync=8",
            "--size=" + SIZE,
            "--time_based",
            "--runtime=1h")
        .redirectErrorStream(true)
        .redirectOutput(dir.resolve("fio.out").toFile())
        .start();
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      if (prometheus != null) {
        prometheus.close();
      }
      if (load != null) {
        load.destroyForcibly().onExit().join();
      }
      for (DaemonProcess b : Arrays.asList(bridge, otherBridge)) {
        if (b != null) {
          b.kill();
        }
      }
      if (client != null) {
        client.close();
      }
      cluster.kill();
    } finally {
      for (Path disk : disks) {
        Shell.run("umount", "-l", disk.toString());
      }
    }
  }

  private static String master() throws IOException {
    return URI.create(cluster.page().orElseThrow()).getAuthority();
  }

  private static String server(int i) throws IOException {
    return URI.create(cluster.page(i).orElseThrow()).getAuthority();
  }

  private static String nameNode() {
    return DaemonFile.read(cluster, "namenode").get("dfs.namenode.http-address");
  }

  private static DaemonProcess regionServer(int i) {
    return cluster.daemon(Daemon.REGIONSERVER, i);
  }

  private static void restart(DaemonProcess daemon) throws IOException {
    daemon.stop();
    daemon.start();
    daemon.awaitReady();
  }

  private static void signal(String signal, DaemonProcess daemon) throws Exception {
    long pid = daemon.process().orElseThrow().pid();
    Shell.run("kill", "-" + signal, Long.toString(pid));
  }

  /** Waits until an alert fires that has these labels, in pairs, among others. */
  private static void awaitAlert(String name, String... labels) throws Exception {
    prometheus.awaitAlert(name, labels);
  }

  private static void awaitQuiet() throws Exception {
    prometheus.awaitQuiet(SLOW_TO_END);
  }

  private static void awaitHealthy() throws Exception {
    Await.until(
        "the master finds every volume healthy, and nothing fires",
        PATIENCE,
        () ->
            prometheus.query("salus_volume_health{state=\"healthy\"} == 1").size()
                    == client.infos().size()
                && prometheus.alerts().stream().noneMatch(Prometheus.Alert::fires));
  }

  private static void awaitWhole() throws Exception {
    Regions.awaitWhole(client, PATIENCE);
  }

  @Test
  @Order(1)
  void aHealthyClusterUnderLoadRaisesNoAlertAndAnswersEveryPanel() throws Exception {
    awaitHealthy();
    String begin = Long.toString(System.currentTimeMillis() / 1000);
    Await.until(
        "Prometheus has looked for longer than any alert waits",
        PATIENCE,
        () -> !prometheus.query("vector(time()) - " + begin + " > " + WATCHED).isEmpty());
    assertThat(prometheus.query("last_over_time(ALERTS{alertstate=\"firing\"}[" + WATCHED + "s])"))
        .isEmpty();
    assertThat(prometheus.query("up == 1")).hasSize(SERVERS + 4);
    JsonNode dashboard =
        new ObjectMapper().readTree(Prometheus.FILES.resolve("grafana-dashboard.json").toFile());
    List<JsonNode> targets = dashboard.findValues("targets");
    assertThat(targets).hasSizeGreaterThan(15);
    for (JsonNode t : targets) {
      for (String expression : t.findValuesAsText("expr")) {
        assertThat(prometheus.query(expression.replace("$volume", ".*")))
            .as(expression)
            .isNotEmpty();
      }
    }
  }

  @Test
  @Order(2)
  void aMachineWhoseClockIsWrongIsNamed() throws Exception {
    otherBridge.kill();
    awaitAlert("SalusDown", "instance", otherMetrics, "job", "salus-nbd", "severity", "critical");
    DaemonProcess skewed =
        bridge(
            "other",
            otherMetrics,
            List.of(
                "env",
                "LD_PRELOAD=/usr/$LIB/faketime/libfaketimeMT.so.1",
                "DONT_FAKE_MONOTONIC=1",
                "FAKETIME=+40s"));
    skewed.start();
    skewed.awaitReady();
    awaitAlert("SalusClockSkew", "instance", otherMetrics);
    restart(otherBridge);
    awaitQuiet();
  }

  @Test
  @Order(3)
  void changesOfVolumesFilesThatTheGuardRefusesAreTold() throws Exception {
    try (DFSClient hdfs = HdfsOf.cluster(cluster)) {
      String files = "/salus/disk-" + client.info("disk").id();
      for (int i = 0; i < 30; i++) {
        assertThatThrownBy(() -> hdfs.delete(files, true)).isInstanceOf(IOException.class);
      }
    }
    awaitAlert("SalusChangesRefused", "instance", nameNode());
    awaitQuiet();
  }

  @Test
  @Order(4)
  void aServerOfAnotherSecretIsTold() throws Exception {
    String name = "regionserver" + ODD;
    String own = DaemonFile.read(cluster, name).get("salus.secret", "");
    DaemonFile.set(cluster, name, "salus.secret", "another");
    restart(regionServer(ODD));
    awaitAlert("SalusServerStrange", "state", "strange", "instance", master());
    DaemonFile.set(cluster, name, "salus.secret", own);
    restart(regionServer(ODD));
    awaitQuiet();
  }

  /**
   * Each region has one change refused, and stops. All that comes then are words about its next
   * epochs, three in eight seconds.
   */
  @Test
  @Order(5)
  void aNameNodeOfAnotherSecretIsTold() throws Exception {
    client.create("busy", SIZE, new CreateOptions(BLOCK, false, BUSY_REGIONS));
    byte[] content = new byte[SIZE];
    new Random(5).nextBytes(content);
    String own = DaemonFile.read(cluster, "namenode").get("salus.secret", "");
    try (Volume v = client.open("busy")) {
      restartNameNode("another");
      List<CompletableFuture<?>> writes = new ArrayList<>();
      for (int i = 0; i < 3; i++) { // more than the segments that there are hold
        writes.add(v.write(0, ByteBuffer.wrap(content)));
      }
      awaitAlert("SalusChangesRefused", "instance", nameNode());
      restartNameNode(own);
      writes.forEach(CompletableFuture::join);
    }
    client.delete("busy", false);
    awaitWhole();
    awaitQuiet();
  }

  private static void restartNameNode(String secret) throws IOException {
    DaemonFile.set(cluster, "namenode", "salus.secret", secret);
    restart(cluster.daemon(Daemon.NAMENODE, -1));
  }

  @Test
  @Order(6)
  void aServerThatTheMasterDoesNotReachIsTold() throws Exception {
    String name = "regionserver" + ODD;
    String key = "hbase.regionserver.ipc.address";
    String own = DaemonFile.read(cluster, name).get(key);
    DaemonFile.set(cluster, name, key, "127.0.0.99");
    restart(regionServer(ODD));
    awaitAlert("SalusServerSilent", "state", "silent", "instance", master());
    DaemonFile.set(cluster, name, key, own);
    restart(regionServer(ODD));
    awaitQuiet();
  }

  @Test
  @Order(7)
  void safeModeIsTold() throws Exception {
    try (DFSClient hdfs = HdfsOf.cluster(cluster)) {
      hdfs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
      awaitAlert("SalusTrouble", "kind", "safe_mode", "instance", master());
      hdfs.setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    awaitQuiet();
  }

  @Test
  @Order(8)
  void serversThatAreGoneOrStandStillLeaveVolumesDegraded() throws Exception {
    regionServer(ODD - 1).kill();
    signal("STOP", regionServer(ODD));
    awaitAlert("SalusDown", "instance", server(ODD - 1), "job", "salus-regionserver");
    awaitAlert("SalusDown", "instance", server(ODD), "job", "salus-regionserver");
    Await.until(
        "ZooKeeper has forgotten both, so that none is silent",
        PATIENCE,
        () ->
            !prometheus.query("salus_servers{state=\"answering\"} == " + (SERVERS - 2)).isEmpty()
                && !prometheus.query("salus_servers{state=\"silent\"} == 0").isEmpty());
    awaitAlert("SalusVolumeDegraded", "volume", "disk");
    regionServer(ODD).kill();
    startServers();
    awaitWhole();
    awaitQuiet();
  }

  @Test
  @Order(9)
  void aFileOfWhichEveryReplicaIsBadIsTold() throws Exception {
    create("damaged");
    byte[] content = new byte[SIZE];
    new Random(8).nextBytes(content);
    try (Volume v = client.open("damaged")) {
      v.write(0, ByteBuffer.wrap(content)).join();
      v.flush().join();
    }
    Await.until(
        "it has checkpoints and all replicas were checked",
        PATIENCE,
        () -> client.info("damaged").health().equals("healthy"));
    assertThat(BlockFiles.flipAll(cluster.dir().resolve("hdfs"), content, 10)).isPositive();
    awaitAlert("SalusBadReplicas");
    Await.until(
        "info names a file",
        PATIENCE,
        () -> client.info("damaged").regions().get(0).finding() != null);
    client.delete("damaged", false);
    awaitQuiet();
  }

  @Test
  @Order(10)
  void aMemberThatAnswersWronglyIsTold() throws Exception {
    byte[] content = new byte[BLOCK];
    new Random(9).nextBytes(content);
    try (Volume v = client.open("own")) {
      v.write(0, ByteBuffer.wrap(content)).join();
      v.flush().join();
      BlockFiles.flip(cluster.dir().resolve("hdfs"), content, 0, LOG, 0);
      Await.until(
          "a member was replaced for a wrong answer",
          PATIENCE,
          () -> {
            ByteBuffer into = ByteBuffer.allocate(BLOCK);
            v.read(0, into).join();
            assertThat(into.array()).isEqualTo(content);
            return client.info("own").regions().stream()
                .anyMatch(r -> r.replacements().containsKey("WRONG_ANSWER"));
          });
    }
    awaitAlert("SalusWrongAnswer", "volume", "own", "cause", "wrong_answer", "instance", master());
    awaitQuiet();
  }

  @Test
  @Order(11)
  void disksThatFillAreToldBeforeAndAfter() throws Exception {
    try {
      for (int step = 0; step <= SHRINKS; step++) {
        for (Path disk : disks) {
          long used = disk.toFile().getTotalSpace() - disk.toFile().getUsableSpace();
          resize(disk, used + (DISK - used) * (SHRINKS - step) / SHRINKS);
        }
        Thread.sleep(SHRINK_MILLIS);
      }
      awaitAlert("SalusNoRoom", "volume", "disk");
      awaitAlert("SalusRoomEnds", "instance", master());
    } finally {
      for (Path disk : disks) {
        resize(disk, DISK);
      }
    }
    awaitWhole();
    awaitQuiet();
  }

  /** Gives a DataNode's disk another size, as if others took what is missing. */
  private static void resize(Path disk, long size) throws Exception {
    Shell.run("mount", "-o", "remount,size=" + size, disk.toString());
  }

  @Test
  @Order(12)
  void aNameNodeWithoutGuardEndsEveryEngine() throws Exception {
    DaemonProcess nameNode = cluster.daemon(Daemon.NAMENODE, -1);
    nameNode.stop();
    try (StockDaemon stock = StockDaemon.start(cluster, "namenode", NameNode.class, Map.of())) {
      awaitAlert("SalusTrouble", "kind", "guard", "instance", master());
      for (int i = 0; i < SERVERS; i++) {
        awaitAlert("SalusEngineDead", "instance", server(i));
      }
      awaitAlert("SalusRequestsWait", "volume", "disk", "instance", metrics);
      awaitAlert("SalusVolumeUnavailable", "volume", "disk");
      assertThat(stock.process().isAlive()).isTrue();
    }
    startServers();
    awaitWhole();
    awaitQuiet();
  }

  @Test
  @Order(13)
  void aMasterThatIsGoneIsTold() throws Exception {
    cluster.daemon(Daemon.MASTER, -1).kill();
    awaitAlert("SalusMasterStalled", "severity", "critical");
    startServers();
    awaitQuiet();
  }

  @Test
  @Order(14)
  void aDiskThatStallsIsToldByItsServer() throws Exception {
    int slow = index(members("disk").get(1));
    DaemonProcess dataNode = cluster.daemon(Daemon.DATANODE, slow);
    Await.until(
        "an alert of slow appends fires",
        PATIENCE,
        () -> {
          signal("STOP", dataNode);
          Thread.sleep(STALL_MILLIS);
          signal("CONT", dataNode);
          Thread.sleep(BETWEEN_STALLS_MILLIS);
          return prometheus.alerts().stream()
              .anyMatch(a -> a.fires() && a.name().equals("SalusSlowAppends"));
        });
    awaitAlert("SalusSlowAppends", "instance", server(slow));
    awaitWhole();
    awaitQuiet();
  }

  private static int index(String node) {
    return Integer.parseInt(node.substring(node.lastIndexOf('.') + 1, node.indexOf(':'))) - 11;
  }

  @Test
  @Order(15)
  void membersThatComeAndGoAreTold() throws Exception {
    create("stormy"); // faults of before have replaced members of the others
    for (int i = 0; i < REPLACEMENTS; i++) {
      String primary = members("stormy").get(0);
      DaemonProcess server = regionServer(index(primary));
      signal("STOP", server);
      Await.until(
          "the region goes on without " + primary,
          PATIENCE,
          () -> !members("stormy").contains(primary));
      signal("CONT", server);
      startServers();
      awaitWhole();
    }
    awaitAlert("SalusReplacementStorm", "volume", "stormy");
  }

  /** The servers of a volume's region. */
  private static List<String> members(String volume) {
    return client.info(volume).regions().get(0).members().stream()
        .map(VolumeInfo.Member::node)
        .toList();
  }

  /** A power cut of every machine takes what the DataNodes had not synced. */
  @Test
  @Order(16)
  void acknowledgedChangesThatAreLostAreTold() throws Exception {
    byte[] content = new byte[2 * UNSYNCED];
    new Random(15).nextBytes(content);
    try (Volume v = client.open("own")) {
      v.write(0, ByteBuffer.wrap(content, 0, UNSYNCED)).join();
      v.flush().join();
      Map<Path, Long> synced = new HashMap<>();
      for (Path segment : BlockFiles.ofNewestSegment(cluster, client.info("own"))) {
        synced.put(segment, Files.size(segment));
      }
      v.write(UNSYNCED, ByteBuffer.wrap(content, UNSYNCED, UNSYNCED)).join();
      for (int i = 0; i < SERVERS; i++) {
        regionServer(i).kill();
      }
      for (int i = 0; i < SERVERS; i++) {
        cluster.daemon(Daemon.DATANODE, i).kill();
      }
      for (Map.Entry<Path, Long> e : synced.entrySet()) {
        try (FileChannel segment = FileChannel.open(e.getKey(), StandardOpenOption.WRITE)) {
          assertThat(segment.size()).isGreaterThan(e.getValue());
          segment.truncate(e.getValue());
        }
      }
      startServers();
      assertThatThrownBy(() -> v.flush().join())
          .hasRootCauseInstanceOf(SalusException.Integrity.class);
    }
    awaitAlert("SalusChangesLost", "volume", "own", "instance", master());
    assertThat(client.acceptLosses("own", client.info("own").losses())).isEmpty();
    awaitWhole();
    awaitQuiet();
  }

  @Test
  @Order(17)
  void aMasterWhoseRoundsWaitIsTold() throws Exception {
    signal("STOP", cluster.daemon(Daemon.ZOOKEEPER, -1));
    awaitAlert("SalusMasterStalled", "severity", "critical");
    assertThat(prometheus.query("salus_master_rounds_total")).as("a master runs").isNotEmpty();
    signal("CONT", cluster.daemon(Daemon.ZOOKEEPER, -1));
  }
}
