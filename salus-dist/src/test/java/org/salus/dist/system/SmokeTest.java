package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.EmbeddedCluster;

/** The one test on a cluster that is not in the lane of clusters: the whole of it works. */
class SmokeTest {
  private static final int SIZE = 4 << 20;
  private static final int BLOCK = 4096;

  @TempDir Path dir;

  @Test
  void whatWasFlushedIsReadAgainAndWrittenOnAfterTheClusterStartedAgain() throws Exception {
    byte[] content = new byte[SIZE];
    new Random(5).nextBytes(content);
    try (EmbeddedCluster cluster = start();
        SalusClient client = connect(cluster)) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        v.write(0, ByteBuffer.wrap(content)).join();
        assertThat(read(v)).isEqualTo(content);
        v.flush().join();
      }
    }
    try (EmbeddedCluster cluster = start();
        SalusClient client = connect(cluster);
        Volume v = client.open("disk")) {
      assertThat(read(v)).isEqualTo(content);
      Arrays.fill(content, BLOCK / 2, 2 * BLOCK, (byte) 9);
      v.write(BLOCK / 2, ByteBuffer.wrap(content, BLOCK / 2, 3 * BLOCK / 2)).join();
      assertThat(read(v)).isEqualTo(content);
    }
  }

  private EmbeddedCluster start() throws Exception {
    return EmbeddedCluster.start(dir, 3, Map.of(), step -> {});
  }

  private static SalusClient connect(EmbeddedCluster cluster) {
    return SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()));
  }

  private static byte[] read(Volume v) {
    ByteBuffer all = ByteBuffer.allocate(SIZE);
    v.read(0, all).join();
    return all.array();
  }
}
