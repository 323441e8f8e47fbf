package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/** Regions on a cluster of processes of which one DataNode runs and has no room. */
@Tag("cluster")
@Tag("slow")
class FullDataNodeTest {
  private static final int SIZE = 16 << 20;
  private static final int SERVERS = 4;
  private static final int FULL = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  private String address(int i) {
    return DaemonFile.read(cluster, "datanode" + i).get(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY);
  }

  /** Its operator keeps so much of its disk for others. */
  private void keep(int i, long bytes, DFSClient hdfs) throws Exception {
    String reserved = Long.toString(bytes);
    DaemonFile.set(cluster, "datanode" + i, DFSConfigKeys.DFS_DATANODE_DU_RESERVED_KEY, reserved);
    DaemonProcess dataNode = cluster.daemon(Daemon.DATANODE, i);
    dataNode.stop();
    dataNode.start();
    dataNode.awaitReady();
    Await.until(
        "HDFS knows whether it has room",
        PATIENCE,
        () ->
            Stream.of(hdfs.datanodeReport(DatanodeReportType.LIVE))
                .anyMatch(
                    n ->
                        n.getXferAddr().equals(address(i))
                            && n.getRemaining() > 0 == (bytes == 0)));
  }

  private static Set<String> dataNodes(VolumeInfo info) {
    return info.regions().stream()
        .flatMap(r -> r.members().stream())
        .map(VolumeInfo.Member::dataNode)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  @Timeout(900)
  void noRegionUsesAFullDataNodeUntilItHasRoom() throws Exception {
    cluster = new LocalCluster(dir.resolve("cluster"));
    cluster.start(SERVERS, Map.of(), step -> {});
    try (DFSClient hdfs = HdfsOf.cluster(cluster);
        SalusClient client =
            SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      keep(FULL, 1L << 50, hdfs);
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      assertThat(dataNodes(client.info("disk")))
          .containsExactlyInAnyOrder(address(0), address(1), address(2));

      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(200);
        cluster.daemon(Daemon.REGIONSERVER, 0).kill();
        Await.until(
            "every region goes on with the two others",
            PATIENCE,
            () ->
                dataNodes(client.info("disk")).equals(Set.of(address(1), address(2)))
                    && client.info("disk").health().equals("degraded"));
        writer.awaitMore(200);
        keep(FULL, 0, hdfs);
        Await.until(
            "every region has three members",
            PATIENCE,
            () -> Regions.areWholeWithout(client.info("disk"), address(0)));
        writer.awaitMore(200);
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }
}
