package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/** A member that answers wrongly, which the volume tree shows, is replaced. */
class WrongAnswerTest {
  private static final int SERVERS = 3;
  private static final int BLOCK = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir
  Path dir;

  @Test
  void aRegionGoesOnWithoutTheMemberWhoseAnswerASessionProvesWrong() throws Exception {
    byte[] content = new byte[8 << 20];
    new Random(6).nextBytes(content);
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS + 1, Map.of("salus.scrub.rate", "0"), step -> { });
        SalusClient client = SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", content.length, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        v.write(0, ByteBuffer.wrap(content)).join();
        v.flush().join();
        int block = BlockFiles.flip(dir, content, 1000, "SAL" + LogRecord.FORMAT);
        Await.until("a member was replaced for a wrong answer", PATIENCE, () -> {
          ByteBuffer into = ByteBuffer.allocate(BLOCK);
          v.read((long) block * BLOCK, into).join(); // another member each time
          assertThat(into.array()).isEqualTo(Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK));
          return wrongAnswers(client.info("disk")) > 0;
        });
        client.info("disk").regions().stream().filter(r -> !r.replacements().isEmpty()).forEach(r -> System.out.println("replaced: " + r));
        Await.until("the volume is healthy again", PATIENCE, () -> client.info("disk").health().equals("healthy"));
        assertThat(wrongAnswers(client.info("disk"))).isEqualTo(1);
        v.write(0, ByteBuffer.wrap(content, 0, BLOCK)).join();
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

  private static int wrongAnswers(VolumeInfo info) {
    return info.regions().stream().mapToInt(r -> r.replacements().getOrDefault("WRONG_ANSWER", 0)).sum();
  }
}
