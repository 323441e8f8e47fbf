package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.LocalCluster;

/** Somebody deletes HBase's files of the tables of volumes, on a cluster of processes. */
@Tag("cluster")
class LostTableFilesTest {
  private static final int SERVERS = 3;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void aVolumeWhoseTableHasNoFilesCanBeDeleted() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(SERVERS, Map.of(), step -> {});
    try (DistributedFileSystem hdfs = HdfsOf.files(cluster);
        SalusClient client =
            SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", 16 << 20, SalusClient.CreateOptions.DEFAULT);
      assertThat(hdfs.delete(new org.apache.hadoop.fs.Path("/hbase/data/salus"), true)).isTrue();
      for (int i = 0; i < SERVERS; i++) { // no server has the table's regions open any more
        cluster.daemon(Daemon.REGIONSERVER, i).kill();
      }
      cluster.start(SERVERS, Map.of(), step -> {});
      client.delete("disk", false);
      assertThat(client.list()).isEmpty();
      client.create("disk", 16 << 20, SalusClient.CreateOptions.DEFAULT);
    }
  }
}
