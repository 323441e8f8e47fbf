package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.blockmanagement.CombinedHostFileManager;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.LocalCluster;

/**
 * An operator uses what HDFS reads anew while it runs, on a cluster of processes: the file of all
 * DataNodes in JSON, by which some are in maintenance, and properties in the file of {@code
 * --conf}.
 */
@Tag("cluster")
@Tag("slow")
class AdminStatesTest {
  private static final int SIZE = 16 << 20;
  private static final int SERVERS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final String SMALL_COMPACTIONS = "hbase.regionserver.thread.compaction.small";
  private static final long FOREVER = 4_000_000_000_000L;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;
  private Path hosts;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void membersLeaveADataNodeInMaintenanceAndItIsUsedAgainAfterIt() throws Exception {
    hosts = Files.createDirectories(dir.resolve("a b \u00e4 50%")).resolve("hosts.json");
    Files.writeString(hosts, "[]");
    cluster = new LocalCluster(dir.resolve("cluster"));
    cluster.start(
        SERVERS,
        Map.of(
            "dfs.hosts",
            hosts.toString(),
            "dfs.namenode.hosts.provider.classname",
            CombinedHostFileManager.class.getName(),
            "dfs.namenode.decommission.interval",
            "1"),
        step -> {});
    try (DFSClient hdfs = HdfsOf.cluster(cluster);
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(500);
        String first = client.info("disk").regions().get(0).members().get(0).dataNode();
        maintain(hdfs, Set.of(first));
        awaitWholeWithout(client, first);
        assertThat(client.info("disk").regions().get(0).replacements()).containsKey("RETIRED");
        writer.awaitMore(500);

        String second = client.info("disk").regions().get(0).members().get(0).dataNode();
        maintain(hdfs, Set.of(second));
        awaitWholeWithout(client, second); // so the first one is used again

        maintain(hdfs, Set.of(first, second));
        Await.until(
            "info says why no server joins",
            PATIENCE,
            () ->
                client.info("disk").regions().stream()
                    .anyMatch(
                        r ->
                            r.note().contains("no other server can join")
                                && r.note().contains("maintenance")));
        maintain(hdfs, Set.of());
        awaitWholeWithout(client, "");
        writer.awaitMore(500);

        propertiesOfConfAreReadAnew();
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  /** By the procedure of HDFS' guide: these DataNodes are in maintenance, the others are not. */
  private void maintain(DFSClient hdfs, Set<String> some) throws Exception {
    List<Map<String, Object>> all = new ArrayList<>();
    for (DatanodeInfo node : hdfs.datanodeReport(DatanodeReportType.LIVE)) {
      Map<String, Object> entry = new TreeMap<>();
      entry.put("hostName", node.getIpAddr());
      entry.put("port", node.getXferPort());
      if (some.contains(node.getXferAddr())) {
        entry.put("adminState", AdminStates.IN_MAINTENANCE.name());
        entry.put("maintenanceExpireTimeInMS", FOREVER);
      }
      all.add(entry);
    }
    assertThat(all).hasSize(SERVERS);
    Files.writeString(hosts, new ObjectMapper().writeValueAsString(all));
    hdfs.refreshNodes();
    assertThat(
            Stream.of(hdfs.datanodeReport(DatanodeReportType.LIVE))
                .filter(n -> n.getAdminState() != AdminStates.NORMAL)
                .map(DatanodeInfo::getXferAddr))
        .containsExactlyInAnyOrderElementsOf(some);
  }

  private static void awaitWholeWithout(SalusClient client, String dataNode) throws Exception {
    Await.until(
        "every region has three members, and none on " + dataNode,
        PATIENCE,
        () -> client.infos().stream().allMatch(i -> Regions.areWholeWithout(i, dataNode)));
  }

  private void propertiesOfConfAreReadAnew() throws Exception {
    Configuration conf =
        DaemonFile.set(cluster, "namenode", "dfs.namenode.replication.max-streams", "7");
    String nameNode = FileSystem.getDefaultUri(conf).getAuthority();
    assertThat(reconfigured(conf, "namenode", nameNode))
        .contains("SUCCESS", "dfs.namenode.replication.max-streams", "To: \"7\"");
    Configuration ofOne =
        DaemonFile.set(cluster, "datanode0", "dfs.datanode.balance.max.concurrent.moves", "9");
    assertThat(reconfigured(ofOne, "datanode", ofOne.get("dfs.datanode.ipc.address")))
        .contains("SUCCESS", "dfs.datanode.balance.max.concurrent.moves", "To: \"9\"");
    Configuration hbase = DaemonFile.set(cluster, "regionserver0", SMALL_COMPACTIONS, "3");
    try (Connection connection = ConnectionFactory.createConnection(hbase);
        Admin admin = connection.getAdmin()) {
      admin.updateConfiguration(); // update_all_config of HBase's shell
    }
    String page = cluster.page(0).orElseThrow();
    assertThat(
            Shell.run(
                "curl",
                "-s",
                page.replaceFirst("/salus$", "/conf?format=json&name=" + SMALL_COMPACTIONS)))
        .contains("\"3\"");
  }

  /** What {@code hdfs dfsadmin -reconfig} says in the end. */
  private static String reconfigured(Configuration conf, String kind, String address)
      throws Exception {
    assertThat(dfsAdmin(conf, "-reconfig", kind, address, "start")).contains("Started");
    StringBuilder said = new StringBuilder();
    Await.until(
        "the " + kind + " has read its properties",
        PATIENCE,
        () -> {
          said.setLength(0);
          said.append(dfsAdmin(conf, "-reconfig", kind, address, "status"));
          return said.indexOf("finished") >= 0;
        });
    return said.toString();
  }

  private static String dfsAdmin(Configuration conf, String... arguments) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8)) {
      System.setOut(to);
      assertThat(new DFSAdmin(conf).run(arguments)).isZero();
    } finally {
      System.setOut(before);
    }
    return said.toString(StandardCharsets.UTF_8);
  }
}
