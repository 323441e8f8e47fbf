package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
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
import org.salus.dist.hbase.LocalCluster;

/** One of three servers is lost with its DataNode, on a cluster of processes, and comes back. */
@Tag("cluster")
class TwoMembersTest {
  private static final int SIZE = 16 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(1800)
  void twoMembersSayWhatTheyPromiseAndAStrictVolumeWaitsForTheThird() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(3, Map.of(), step -> {});
    byte[] data = new byte[SIZE];
    new Random(1).nextBytes(data);
    try (DistributedFileSystem hdfs = HdfsOf.files(cluster);
        LogLines lines = new LogLines();
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("plain", SIZE, new SalusClient.CreateOptions(4096, false, 1));
      client.create("strict", SIZE, new SalusClient.CreateOptions(4096, false, 1, true));
      try (Volume plain = client.open("plain");
          Volume strict = client.open("strict")) {
        plain.write(0, ByteBuffer.wrap(data, 0, 1 << 20)).join();
        strict.write(0, ByteBuffer.wrap(data, 0, 1 << 20)).join();
        cluster.daemon(Daemon.REGIONSERVER, 2).kill();
        cluster.daemon(Daemon.DATANODE, 2).kill();

        CompletableFuture<Void> held = strict.write(1 << 20, ByteBuffer.wrap(data, 1 << 20, 4096));
        plain.write(0, ByteBuffer.wrap(data)).join();
        assertThat(region(client, "plain").why())
            .contains("2 of 3 members: what is acknowledged now survives one faulty server");
        assertThat(region(client, "plain").members()).hasSize(2);
        Await.until(
            "info says for what the strict volume waits",
            PATIENCE,
            () -> saysThree(client.info("strict").why()));
        assertThat(client.info("strict").shape().strict()).isTrue();
        Await.until(
            "the client's line says so, too",
            PATIENCE,
            () ->
                lines.lines().stream().anyMatch(l -> l.contains("requests wait") && saysThree(l)));
        assertThat(held).isNotDone();

        Await.until(
            "all have two replicas on DataNodes that live",
            PATIENCE,
            () -> leastReplicas(hdfs) == 2);
        cluster.daemon(Daemon.DATANODE, 2).start();
        cluster.daemon(Daemon.DATANODE, 2).awaitReady();
        long begin = System.nanoTime();
        Await.until("HDFS has three of all", PATIENCE, () -> leastReplicas(hdfs) == 3);
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.println("the third replicas were there " + took + " ms after their DataNode");

        cluster.daemon(Daemon.REGIONSERVER, 2).start();
        held.join();
        assertThat(region(client, "strict").members()).hasSize(3);
        Await.until(
            "all is well",
            PATIENCE,
            () -> client.infos().stream().allMatch(TwoMembersTest::isWell));
        assertThat(read(plain, SIZE)).isEqualTo(data);
        int written = (1 << 20) + 4096;
        assertThat(read(strict, written)).isEqualTo(Arrays.copyOf(data, written));
      }
    }
  }

  private static boolean saysThree(String words) {
    return words.contains("the strict volume asks for 3");
  }

  private static boolean isWell(VolumeInfo info) {
    return info.health().equals("healthy");
  }

  private static VolumeInfo.Region region(SalusClient client, String volume) {
    return client.info(volume).regions().get(0);
  }

  private static byte[] read(Volume volume, int length) {
    ByteBuffer all = ByteBuffer.allocate(length);
    volume.read(0, all).join();
    return all.array();
  }

  /** The fewest replicas that any finished file of a volume has on living DataNodes. */
  private static int leastReplicas(DistributedFileSystem hdfs) throws IOException {
    List<String> live =
        Arrays.stream(hdfs.getDataNodeStats(DatanodeReportType.LIVE))
            .map(DatanodeInfo::getXferAddr)
            .toList();
    int least = Integer.MAX_VALUE;
    try {
      for (RemoteIterator<LocatedFileStatus> files =
              hdfs.listFiles(new org.apache.hadoop.fs.Path("/salus"), true);
          files.hasNext(); ) {
        LocatedFileStatus file = files.next();
        if (hdfs.isFileClosed(file.getPath())) {
          long replicas =
              Arrays.stream(file.getBlockLocations()[0].getNames()).filter(live::contains).count();
          least = Math.min(least, (int) replicas);
        }
      }
      return least;
    } catch (FileNotFoundException deletedMeanwhile) {
      return 0;
    }
  }
}
