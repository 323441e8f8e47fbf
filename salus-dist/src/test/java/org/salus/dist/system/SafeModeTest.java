package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.core.Reason;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/** An operator puts HDFS into safe mode while a volume is written, on a cluster of processes. */
@Tag("cluster")
class SafeModeTest {
  private static final int SIZE = 16 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void safeModeIsNamedAndWritesGoOnAfterIt() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(3, Map.of(), step -> {});
    List<Long> daemons = pids();
    try (DFSClient hdfs = HdfsOf.cluster(cluster);
        LogLines lines = new LogLines();
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(500);
        hdfs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
        Await.until("info says so", PATIENCE, () -> isNamed(client.info("disk").why()));
        assertThat(client.infos()).allMatch(i -> isNamed(i.why()));
        Await.until(
            "writes wait, and the client's line says why",
            PATIENCE,
            () -> lines.lines().stream().anyMatch(l -> l.contains("requests wait") && isNamed(l)));
        assertThat(pids()).as("the daemons go on").isEqualTo(daemons);
        hdfs.setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
        writer.awaitMore(500);
        Await.until("nothing is left to say", PATIENCE, () -> client.info("disk").why().isEmpty());
        assertThat(pids()).isEqualTo(daemons);
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  private static boolean isNamed(String words) {
    return words.contains(Reason.SAFE_MODE.words());
  }

  private List<Long> pids() throws IOException {
    List<Long> pids = new ArrayList<>();
    for (DaemonProcess d : cluster.daemons()) {
      d.process().ifPresent(p -> pids.add(p.pid()));
    }
    return pids;
  }
}
