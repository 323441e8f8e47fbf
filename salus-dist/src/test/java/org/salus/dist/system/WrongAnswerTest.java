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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/** A member that answers wrongly, which the volume tree shows, is replaced, and its replica made anew. */
class WrongAnswerTest {
  private static final int SERVERS = 3;
  private static final int BLOCK = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir
  Path dir;

  private byte[] content;

  @Test
  void aRegionGoesOnWithoutTheMemberWhoseAnswerASessionProvesWrong() throws Exception {
    content = new byte[16 << 20];
    new Random(6).nextBytes(content);
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS + 1, Map.of("salus.scrub.rate", "0"), step -> { });
        SalusClient client = SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "2m"))) {
      client.create("disk", content.length, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        int inCheckpoint = 10;
        String checkpoint = finishedCheckpoint(cluster, client, v);
        Path replica = BlockFiles.flip(dir, content, inCheckpoint, "DATABLK", 0);
        HFileSums.rewrite(replica); // so that neither HBase nor HDFS finds it
        BlockMeta.rewrite(replica);
        readUntilReplaced(client, v, inCheckpoint, 1);
        Await.until("the server that is left out has had its bad replica made anew", PATIENCE, () -> {
          VolumeInfo.Finding found = client.info("disk").regions().get(0).finding();
          return found != null && found.path().equals(checkpoint) && found.repaired();
        });
        Await.until("the volume is healthy again", PATIENCE, () -> client.info("disk").health().equals("healthy"));
        assertThat(BlockFiles.having(dir, content, inCheckpoint, "DATABLK")).as("right replicas").hasSize(SERVERS);

        int inLog = 1000;
        content[inLog * BLOCK]++; // so that no older segment has it
        v.write((long) inLog * BLOCK, ByteBuffer.wrap(content, inLog * BLOCK, BLOCK)).join();
        v.flush().join();
        BlockFiles.flip(dir, content, inLog, "SAL" + LogRecord.FORMAT, 0);
        readUntilReplaced(client, v, inLog, 2);
        client.info("disk").regions().stream().filter(r -> !r.replacements().isEmpty()).forEach(r -> System.out.println("replaced: " + r));
        Await.until("the volume is healthy again", PATIENCE, () -> client.info("disk").health().equals("healthy"));
        assertThat(wrongAnswers(client.info("disk"))).isEqualTo(2);
        v.write(0, ByteBuffer.wrap(content, 0, BLOCK)).join();
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

  /** Writes everything, so that region 0 has a checkpoint with its first blocks that a manifest names; its path. */
  private String finishedCheckpoint(EmbeddedCluster cluster, SalusClient client, Volume v) throws Exception {
    int half = content.length / 2;
    v.write(0, ByteBuffer.wrap(content, 0, half)).join();
    v.flush().join();
    Await.until("every member has a checkpoint", PATIENCE, () -> client.info("disk").regions().stream().flatMap(r -> r.members().stream())
        .allMatch(m -> m.status() != null && m.status().checkpoints() > 0));
    v.write(half, ByteBuffer.wrap(content, half, half)).join(); // the manifests of later segments name the checkpoints
    v.flush().join();
    String path = "/salus/disk-" + client.info("disk").id() + "/0000/cp-00000001";
    try (DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration())) {
      Await.until(path + " is finished", PATIENCE, () -> fs.isFileClosed(new org.apache.hadoop.fs.Path(path)));
    }
    return path;
  }

  private void readUntilReplaced(SalusClient client, Volume v, int block, int wrongAnswers) throws Exception {
    Await.until("a member was replaced for a wrong answer", PATIENCE, () -> {
      ByteBuffer into = ByteBuffer.allocate(BLOCK);
      v.read((long) block * BLOCK, into).join(); // another member each time
      assertThat(into.array()).isEqualTo(Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK));
      return wrongAnswers(client.info("disk")) >= wrongAnswers;
    });
  }

  private static int wrongAnswers(VolumeInfo info) {
    return info.regions().stream().mapToInt(r -> r.replacements().getOrDefault("WRONG_ANSWER", 0)).sum();
  }
}
