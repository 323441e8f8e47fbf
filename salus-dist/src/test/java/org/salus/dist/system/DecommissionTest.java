package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.ServerInfo;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.LocalCluster;

/**
 * DataNodes are decommissioned by HDFS' own procedure, and servers drained, on a cluster of
 * processes. Members leave them while a volume is written, so the decommission ends.
 */
@Tag("cluster")
class DecommissionTest {
  private static final int SIZE = 16 << 20;
  private static final int SERVERS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;
  private Path excluded;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void membersLeaveADataNodeThatIsDecommissionedWhileTheirVolumeIsWritten() throws Exception {
    start();
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
        writer.longestMillis();
        decommission(hdfs, first);
        Await.until(
            "the DataNode is decommissioned",
            PATIENCE,
            () -> state(hdfs, first) == AdminStates.DECOMMISSIONED);
        Await.until(
            "every region has three members elsewhere",
            PATIENCE,
            () -> client.infos().stream().allMatch(i -> Regions.areWholeWithout(i, first)));
        System.out.println(
            "the longest write during a decommission took " + writer.longestMillis() + " ms");
        writer.awaitMore(500);
        client.create("new", SIZE, SalusClient.CreateOptions.DEFAULT);
        Await.until(
            "a new volume is elsewhere",
            PATIENCE,
            () -> Regions.areWholeWithout(client.info("new"), first));
        aMemberStaysWhenNobodyCanTakeItsPlace(hdfs, client, writer);
        membersLeaveAServerThatIsDrained(client, writer);
        aReplicaMovesToADataNodeWithoutAServerAndComesHome(hdfs, client, writer);
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  private void aMemberStaysWhenNobodyCanTakeItsPlace(
      DFSClient hdfs, SalusClient client, RandomWrites writer) throws Exception {
    String second = client.info("disk").regions().get(0).members().get(0).dataNode();
    decommission(hdfs, second);
    Await.until(
        "info says why no server joins",
        PATIENCE,
        () ->
            client.info("disk").regions().stream()
                .allMatch(r -> r.note().contains("no other server can join")));
    writer.awaitMore(2_000); // several segments, which HDFS places on two DataNodes only
    Files.writeString(excluded, "");
    hdfs.refreshNodes();
    Await.until(
        "every region has three members, and no more to say",
        PATIENCE,
        () ->
            client.info("disk").regions().stream()
                .allMatch(
                    r -> r.members().size() == 3 && !r.note().contains("no other server can")));
    writer.awaitMore(500);
  }

  /** By the command, as an operator does before work on a host. */
  private void membersLeaveAServerThatIsDrained(SalusClient client, RandomWrites writer)
      throws Exception {
    VolumeInfo.Member leaving = client.info("disk").regions().get(0).members().get(0);
    String server = leaving.node();
    assertThat(salus("server", "drain", "elsewhere").err())
        .contains("no server of elsewhere is known; there are [", server);
    assertThat(salus("server", "drain", server).out()).contains(server + " is drained");
    assertThat(client.infos()).allMatch(i -> Regions.areWholeWithout(i, leaving.dataNode()));
    assertThat(salus("server", "list").out()).containsPattern(server + " .* drained +0");
    writer.awaitMore(500);
    client.create("newer", SIZE, SalusClient.CreateOptions.DEFAULT);
    Await.until(
        "a new volume is elsewhere",
        PATIENCE,
        () -> Regions.areWholeWithout(client.info("newer"), leaving.dataNode()));
    String other = client.info("disk").regions().get(0).members().get(0).node();
    CommandAnswer refused = salus("server", "drain", other);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("would be left, and a region has 3 members");
    assertThat(salus("server", "undrain", server).out()).contains("may have members again");
    assertThat(salus("server", "undrain", server).err()).contains("is not drained; no server is");
    assertThat(salus("server", "list").out()).containsPattern(server + " .* runs ");
  }

  /** No server can take the member's place, so that its replica goes on without it. */
  private void aReplicaMovesToADataNodeWithoutAServerAndComesHome(
      DFSClient hdfs, SalusClient client, RandomWrites writer) throws Exception {
    Set<String> dataNodes = dataNodes(client);
    cluster.daemon(Daemon.REGIONSERVER, SERVERS - 1).stop();
    Await.until("a server is gone", PATIENCE, () -> dataNodes(client).size() < dataNodes.size());
    dataNodes.removeAll(dataNodes(client));
    String gone = dataNodes.iterator().next();
    Await.until(
        "three servers have all regions",
        PATIENCE,
        () -> Regions.areWholeWithout(client.info("disk"), gone));
    String first = client.info("disk").regions().get(0).members().get(0).dataNode();
    decommission(hdfs, first);
    Await.until(
        "info says which replica is elsewhere",
        PATIENCE,
        () ->
            Regions.areWholeWithout(client.info("disk"), first)
                && client.info("disk").regions().stream()
                    .allMatch(r -> r.note().contains("is on " + gone + ", so it is slower")));
    writer.awaitMore(2_000); // several segments
    Files.writeString(excluded, "");
    hdfs.refreshNodes();
    Await.until(
        "every replica is beside its member again",
        PATIENCE,
        () ->
            Regions.areWholeWithout(client.info("disk"), gone)
                && client.info("disk").regions().stream()
                    .noneMatch(r -> r.note().contains("so it is slower")));
    writer.awaitMore(500);
  }

  /** The DataNodes beside servers that run. */
  private static Set<String> dataNodes(SalusClient client) {
    return client.serverAdmin().list().servers().stream()
        .filter(ServerInfo::running)
        .map(ServerInfo::dataNode)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private CommandAnswer salus(String... arguments) throws IOException {
    return CommandAnswer.of(cluster.zookeeper(), arguments);
  }

  private void start() throws IOException {
    excluded = Files.createFile(dir.resolve("excluded"));
    cluster = new LocalCluster(dir.resolve("cluster"));
    cluster.start(
        SERVERS,
        Map.of("dfs.hosts.exclude", excluded.toString(), "dfs.namenode.decommission.interval", "1"),
        step -> {});
  }

  /** The procedure of HDFS' guide, one DataNode more. */
  private void decommission(DFSClient hdfs, String dataNode) throws IOException {
    Files.writeString(excluded, Files.readString(excluded) + dataNode + "\n");
    hdfs.refreshNodes();
    assertThat(state(hdfs, dataNode)).isNotEqualTo(AdminStates.NORMAL);
  }

  private static AdminStates state(DFSClient hdfs, String dataNode) throws IOException {
    return Stream.of(hdfs.datanodeReport(DatanodeReportType.LIVE))
        .filter(n -> n.getXferAddr().equals(dataNode))
        .findFirst()
        .orElseThrow()
        .getAdminState();
  }
}
