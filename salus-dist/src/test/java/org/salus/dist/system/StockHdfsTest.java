package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.core.Reason;
import org.salus.datanode.hdfs.GuardPlugin;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.LocalCluster;

/**
 * A volume on an HDFS and an HBase that others run: stock daemons in processes of their own, with
 * what {@code salus install} puts into their directories alone.
 */
@Tag("cluster")
class StockHdfsTest {
  private static final int SERVERS = 3;
  private static final int SIZE = 16 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Map<String, String> LONG_LEASES =
      Map.of(DFSConfigKeys.DFS_LEASE_HARDLIMIT_KEY, "315360000");

  private static final org.apache.hadoop.fs.Path ROOT = new org.apache.hadoop.fs.Path("/salus");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private final List<StockDaemon> stock = new ArrayList<>();
  private LocalCluster cluster;
  private StockHomes homes;
  private StockDaemon lastServer;

  @AfterEach
  void kill() throws IOException {
    cluster.kill();
    stock.forEach(StockDaemon::close);
  }

  private StockDaemon nameNode(String plugins) throws IOException {
    Map<String, String> settings = new HashMap<>(LONG_LEASES);
    settings.put(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, plugins);
    return start("namenode", NameNode.class, settings);
  }

  private StockDaemon start(String name, Class<?> main, Map<String, String> settings)
      throws IOException {
    return started(StockDaemon.start(cluster, name, main, settings));
  }

  private StockDaemon started(StockDaemon daemon) {
    stock.add(daemon);
    return daemon;
  }

  @Test
  @Timeout(600)
  void aVolumeIsServedWhileTheStockNameNodeHasTheGuard() throws Exception {
    cluster = LocalCluster.withPages(dir); // the doctor reads them
    cluster.start(SERVERS, Map.of(), step -> {});
    byte[] written;
    try (SalusClient client = connect()) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      written = write(client);
    }
    cluster.stop(step -> {});

    assertEndsWithoutLongLeases();
    homes = new StockHomes(cluster, SERVERS);
    Map<String, String> before = homes.files();
    theInstallIsShownAndDone(before);
    StockDaemon without = nameNode("");
    startOthers();
    try (SalusClient client = connect()) {
      Await.until(
          "the volume has no servers, and says why",
          PATIENCE,
          () -> client.info("disk").why().contains(Reason.unguarded().words()));
      assertThat(client.info("disk").regions().stream().flatMap(r -> r.members().stream()))
          .allMatch(m -> m.status() == null);
      theDoctorFindsThatNothingGuardsTheFiles();

      without.close();
      StockDaemon with = started(homes.nameNode());
      Await.until("the volume is healthy", PATIENCE, () -> isHealthy(client));
      assertThat(read(client)).isEqualTo(written);
      write(client);
      try (DistributedFileSystem files = HdfsOf.files(cluster)) {
        assertThat(files.getFileStatus(ROOT).getPermission())
            .isEqualTo(new FsPermission((short) 0700));
        assertThat(deleteByWeb(files.getConf())).isEqualTo(403);
        assertThat(files.exists(ROOT)).isTrue();
      }
      assertThat(with.process().isAlive()).isTrue();
      theDoctorFindsNothing();
      itIsTakenOutWhenThereIsNoVolume(client, before);
      client.create("disk2", SIZE, SalusClient.CreateOptions.DEFAULT); // all still run with Salus
      theDoctorFindsAServerThatHangs();
    }
  }

  private void theInstallIsShownAndDone(Map<String, String> before) throws IOException {
    CommandAnswer shown = CommandAnswer.of(install("--dry-run"));
    assertThat(shown.code()).isZero();
    assertThat(shown.out())
        .contains(
            "+++ " + homes.hdfsSite(),
            "+  <name>dfs.namenode.plugins</name>",
            "+  <name>hbase.master.loadbalancer.class</name>",
            "copy " + homes.hbase().resolve("lib/HdrHistogram-"));
    assertThat(homes.files()).isEqualTo(before);
    CommandAnswer done = CommandAnswer.of(install());
    assertThat(done.code()).as(done.err()).isZero();
    assertThat(done.out()).contains("restart", "each NameNode", "salus doctor --conf");
    assertThat(homes.files()).isNotEqualTo(before);
    assertThat(CommandAnswer.of(install()).out()).startsWith("nothing is to be done");
    CommandAnswer unknown = CommandAnswer.of(command("uninstall"));
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err())
        .contains("whether there are volumes is not known", "start the cluster, or add --force");
  }

  private List<String> install(String... options) {
    List<String> all = command("install", "--hbase-user", System.getProperty("user.name"));
    all.addAll(List.of(options));
    return all;
  }

  private List<String> command(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--hadoop", homes.hadoop().toString()));
    all.addAll(List.of("--hbase", homes.hbase().toString()));
    return all;
  }

  private void itIsTakenOutWhenThereIsNoVolume(SalusClient client, Map<String, String> before)
      throws Exception {
    Map<String, String> installed = homes.files();
    CommandAnswer refused = CommandAnswer.of(command("uninstall"));
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .isEqualTo(
            "salus: the cluster has volumes, so nothing was touched: disk; delete them with 'salus"
                + " volume delete' first"
                + System.lineSeparator());
    assertThat(homes.files()).isEqualTo(installed);
    client.delete("disk", false);
    Await.until("its files are gone", PATIENCE, () -> client.repairs().withoutRecords().isEmpty());
    CommandAnswer done = CommandAnswer.of(command("uninstall"));
    assertThat(done.code()).as(done.err()).isZero();
    assertThat(done.out()).contains("each region server");
    assertThat(done.out().lines().filter(line -> line.startsWith("note: ")))
        .as("of what this test has put into the files itself")
        .allMatch(line -> line.contains("that 'salus install' has not put there"));
    assertThat(homes.files()).isEqualTo(before);
  }

  private DoctorRun doctor() throws IOException {
    return DoctorRun.with("--conf", homes.hbaseSite().toString());
  }

  private void theDoctorFindsThatNothingGuardsTheFiles() throws Exception {
    try (DistributedFileSystem files = HdfsOf.files(cluster)) {
      files.setPermission(ROOT, new FsPermission((short) 0755));
    }
    DoctorRun said = doctor();
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.found("PROBLEM guard", Reason.unguarded().words())).as("%s", said).isTrue();
    assertThat(said.found("PROBLEM directory", "mode 0755")).as("%s", said).isTrue();
    assertThat(said.found("PROBLEM volumes", "volume disk is unavailable")).as("%s", said).isTrue();
  }

  private void theDoctorFindsNothing() throws Exception {
    Await.until("the doctor finds no problem", PATIENCE, () -> doctor().code() == 0);
    DoctorRun healthy = doctor();
    assertThat(healthy.findings())
        .satisfiesExactlyInAnyOrder(
            f -> assertThat(f).startsWith("WARNING secret").contains("no salus.secret"),
            f -> assertThat(f).startsWith("WARNING pairs").contains("only 3 region servers"),
            f -> assertThat(f).startsWith("NOTE space").contains("there is room for"));
  }

  private void theDoctorFindsAServerThatHangs() throws Exception {
    Shell.run("kill", "-STOP", Long.toString(lastServer.process().pid()));
    DoctorRun said = DoctorRun.of(cluster);
    assertThat(said.code()).isEqualTo(1);
    assertThat(said.found("PROBLEM answers: region server 127.0.0.13:", "within 5 s"))
        .as("%s", said)
        .isTrue();
    assertThat(said.found("PROBLEM volumes", "volume disk2 is ")).as("%s", said).isTrue();
  }

  private SalusClient connect() throws Exception {
    return SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()));
  }

  /** Starts all but the NameNode. No region server is ready before there is a guard. */
  private void startOthers() throws IOException {
    cluster.daemon(Daemon.ZOOKEEPER, -1).start();
    cluster.daemon(Daemon.ZOOKEEPER, -1).awaitReady();
    for (int i = 0; i < SERVERS; i++) {
      started(homes.dataNode(i));
    }
    started(homes.master());
    for (int i = 0; i < SERVERS; i++) {
      lastServer = started(homes.regionServer(i));
    }
  }

  private void assertEndsWithoutLongLeases() throws Exception {
    StockDaemon ended =
        start(
            "namenode",
            NameNode.class,
            Map.of(
                DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY,
                GuardPlugin.class.getName(),
                DFSConfigKeys.DFS_LEASE_HARDLIMIT_KEY,
                "1200"));
    assertThat(ended.process().onExit().get().exitValue()).isEqualTo(1);
    assertThat(ended.said()).contains("the NameNode ends, because Salus' guard does not start");
  }

  private static boolean isHealthy(SalusClient client) throws Exception {
    return client.info("disk").why().isEmpty()
        && client.info("disk").regions().stream()
            .allMatch(r -> r.health().equalsIgnoreCase("healthy"));
  }

  private static byte[] write(SalusClient client) throws Exception {
    try (Volume v = client.open("disk");
        RandomWrites writer = new RandomWrites(v)) {
      writer.awaitMore(300);
      return writer.stop();
    }
  }

  private static byte[] read(SalusClient client) throws Exception {
    ByteBuffer all = ByteBuffer.allocate(SIZE);
    try (Volume v = client.open("disk")) {
      v.read(0, all).join();
    }
    return all.array();
  }

  private static int deleteByWeb(Configuration conf) throws IOException {
    String http = conf.get(DFSConfigKeys.DFS_NAMENODE_HTTP_ADDRESS_KEY);
    String user = System.getProperty("user.name");
    URI delete =
        URI.create(
            "http://" + http + "/webhdfs/v1/salus?op=DELETE&recursive=true&user.name=" + user);
    HttpURLConnection connection = (HttpURLConnection) delete.toURL().openConnection();
    connection.setRequestMethod("DELETE");
    return connection.getResponseCode();
  }
}
