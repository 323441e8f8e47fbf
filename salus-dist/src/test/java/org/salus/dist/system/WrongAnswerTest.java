package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.faulty.hdfs.BlockChecksums;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/**
 * The volume tree shows that a member answers wrongly. The member is replaced, and its replica is
 * repaired.
 */
@Tag("cluster")
@Tag("embedded")
class WrongAnswerTest {
  private static final int SERVERS = 3;
  private static final int BLOCK = 4096;
  private static final String LOG = "SAL" + LogRecord.FORMAT;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir Path dir;

  private byte[] content;

  @Test
  void aRegionGoesOnWithoutTheMemberWhoseAnswerASessionProvesWrong() throws Exception {
    content = new byte[16 << 20];
    new Random(6).nextBytes(content);
    try (EmbeddedCluster cluster =
            EmbeddedCluster.start(dir, SERVERS + 1, Map.of("salus.scrub.rate", "0"), step -> {});
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "2m"))) {
      client.create("disk", content.length, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        int flushed = 10;
        String segment = flushedSegment(cluster, client, v);
        BlockChecksums.fit(
            BlockFiles.flip(dir, content, flushed, LOG, 0)); // so that HDFS does not find it
        Await.until(
            "the bad replica is made anew",
            PATIENCE,
            () -> {
              readRight(v, flushed);
              VolumeInfo.Finding found = client.info("disk").regions().get(0).finding();
              return found != null && found.path().equals(segment) && found.repaired();
            });
        assertThat(BlockFiles.having(dir, content, flushed, LOG))
            .as("right replicas")
            .hasSize(SERVERS);
        assertThat(wrongAnswers(client.info("disk")))
            .as("a member checks what is flushed before it answers")
            .isZero();

        int inLog = 1000;
        content[inLog * BLOCK]++; // so that no older segment has it
        v.write((long) inLog * BLOCK, ByteBuffer.wrap(content, inLog * BLOCK, BLOCK)).join();
        v.flush().join();
        BlockFiles.flip(dir, content, inLog, LOG, 0);
        Await.until(
            "a member was replaced for a wrong answer",
            PATIENCE,
            () -> {
              readRight(v, inLog); // another member each time
              return wrongAnswers(client.info("disk")) > 0;
            });
        client.info("disk").regions().stream()
            .filter(r -> !r.replacements().isEmpty())
            .forEach(r -> System.out.println("replaced: " + r));
        Await.until(
            "the volume is healthy again",
            PATIENCE,
            () -> client.info("disk").health().equals("healthy"));
        assertThat(wrongAnswers(client.info("disk"))).isOne();
        v.write(0, ByteBuffer.wrap(content, 0, BLOCK)).join();
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

  /**
   * Writes the whole volume, so that region 0 has a finished and flushed segment with its first
   * blocks. Returns its path.
   */
  private String flushedSegment(EmbeddedCluster cluster, SalusClient client, Volume v)
      throws Exception {
    int half = content.length / 2;
    v.write(0, ByteBuffer.wrap(content, 0, half)).join();
    v.flush().join();
    Await.until(
        "every member has a checkpoint",
        PATIENCE,
        () ->
            client.info("disk").regions().stream()
                .flatMap(r -> r.members().stream())
                .allMatch(m -> m.status() != null && m.status().checkpoints() > 0));
    v.write(half, ByteBuffer.wrap(content, half, half))
        .join(); // the manifests of later segments name the first
    v.flush().join();
    String path = "/salus/disk-" + client.info("disk").id() + "/0000/log-00000001";
    try (DistributedFileSystem fs =
        (DistributedFileSystem)
            FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration())) {
      Await.until(
          path + " is finished",
          PATIENCE,
          () -> fs.isFileClosed(new org.apache.hadoop.fs.Path(path)));
    }
    return path;
  }

  private void readRight(Volume v, int block) {
    ByteBuffer into = ByteBuffer.allocate(BLOCK);
    v.read((long) block * BLOCK, into).join();
    assertThat(into.array())
        .isEqualTo(Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK));
  }

  private static int wrongAnswers(VolumeInfo info) {
    return info.regions().stream()
        .mapToInt(r -> r.replacements().getOrDefault("WRONG_ANSWER", 0))
        .sum();
  }
}
