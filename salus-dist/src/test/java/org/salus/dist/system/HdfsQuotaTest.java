package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.LocalCluster;

/** An operator sets a quota on HBase's directory, on a cluster of processes. */
@Tag("cluster")
class HdfsQuotaTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final org.apache.hadoop.fs.Path HBASE = new org.apache.hadoop.fs.Path("/hbase");
  private static final String TOLD = "the quota of /hbase in HDFS allows ";
  private static final String WAY_OUT = "'hdfs dfsadmin -clrQuota /hbase'";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void aQuotaIsNamedWhileTheClusterRunsAndWhenItDoesNotStart() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(3, Map.of(), step -> {});
    try (DistributedFileSystem hdfs = HdfsOf.files(cluster);
        SalusClient client =
            SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", 16 << 20, SalusClient.CreateOptions.DEFAULT);
      long used = hdfs.getQuotaUsage(HBASE).getFileAndDirectoryCount();
      setQuota(hdfs, used + 60);
      Await.until("info names it", PATIENCE, () -> isTold(client.info("disk").why()));
      assertThat(client.infos()).allMatch(v -> isTold(v.why()));

      cluster.daemon(Daemon.MASTER, -1).kill();
      List<String> said = new ArrayList<>();
      cluster.start(3, Map.of(), said::add);
      assertThat(said).as("a narrow quota is told at the start").anyMatch(HdfsQuotaTest::isTold);

      cluster.daemon(Daemon.MASTER, -1).kill();
      setQuota(hdfs, 20);
      assertThatThrownBy(() -> cluster.start(3, Map.of(), step -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(TOLD + "20 names")
          .hasMessageEndingWith(WAY_OUT);
      setQuota(hdfs, HdfsConstants.QUOTA_RESET);
      cluster.start(3, Map.of(), step -> {});
      Await.until("nothing is left to say", PATIENCE, () -> client.info("disk").why().isEmpty());
    }
  }

  private static void setQuota(DistributedFileSystem hdfs, long names) throws IOException {
    hdfs.setQuota(HBASE, names, HdfsConstants.QUOTA_DONT_SET);
  }

  private static boolean isTold(String words) {
    return words.contains(TOLD) && words.contains(WAY_OUT);
  }
}
