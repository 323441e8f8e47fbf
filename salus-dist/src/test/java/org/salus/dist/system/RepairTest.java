package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.LocalCluster;

/**
 * ZooKeeper loses its data, HDFS keeps its own. The records are rebuilt from HDFS, and every byte
 * is back.
 */
@Timeout(1800)
@Tag("cluster")
class RepairTest {
  private static final int SIZE = 12 << 20;
  private static final int SERVERS = 3;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private final byte[] content = new byte[SIZE];
  private LocalCluster cluster;

  @Test
  void aVolumeWhoseRecordsAreLostComesBackWithEveryByte() throws Exception {
    new Random(7).nextBytes(content);
    cluster = new LocalCluster(dir.resolve("cluster"));
    try {
      cluster.start(SERVERS, Map.of(), step -> {});
      long mounted = writeAll();
      cluster.stop(step -> {});
      wipe(dir.resolve("cluster/zookeeper"));
      cluster.start(SERVERS, Map.of(), step -> {});
      awaitServers();
      assertThatNothingPassesForTheVolume();
      cluster.daemon(Daemon.REGIONSERVER, 1).stop();
      cluster.daemon(Daemon.DATANODE, 1).stop();
      awaitServers(SERVERS - 1);
      CommandAnswer plan = salus("volume", "repair", "disk");
      assertThat(plan.code()).isEqualTo(Salus.FAILED);
      assertThat(plan.err()).contains("--yes");
      assertThat(plan.out())
          .contains("would serve again: region 2")
          .contains("without [127.0.0.12");
      assertThat(salus("volume", "list").out())
          .as("asking has changed nothing")
          .doesNotContain("disk");
      CommandAnswer done = salus("volume", "repair", "--all", "--yes");
      assertThat(done.err() + done.out()).contains("has its records again and serves");
      assertThat(done.code()).isZero();
      readAll(mounted);
      cluster.start(SERVERS, Map.of(), step -> {});
      CommandAnswer healthy = salus("volume", "repair", "disk", "--yes");
      assertThat(healthy.code()).isEqualTo(Salus.FAILED);
      assertThat(healthy.err()).contains("has its records");
    } finally {
      cluster.kill();
    }
  }

  /**
   * Writes a volume, partly into checkpoints and partly only into the log. Returns the last mount
   * epoch.
   */
  private long writeAll() throws Exception {
    try (SalusClient client = connect("salus.segment.size", "1m")) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      for (int part = 0; part < 3; part++) {
        try (Volume v = client.open("disk")) {
          int from = part * SIZE / 3;
          v.write(from, ByteBuffer.wrap(content, from, SIZE / 3)).join();
          v.flush().join();
        }
      }
      Await.until(
          "something is in checkpoints",
          Duration.ofSeconds(60),
          () ->
              client.info("disk").regions().stream()
                  .flatMap(r -> r.members().stream())
                  .anyMatch(m -> m.status() != null && m.status().checkpoints() > 0));
      try (Volume v = client.open("disk")) {
        v.write(4096, ByteBuffer.wrap(content, 4096, 4096)).join();
        v.flush().join();
        return client.info("disk").writer().mountEpoch();
      }
    }
  }

  /** A new volume of the name would read as zeros where the old one had data. */
  private void assertThatNothingPassesForTheVolume() throws Exception {
    try (SalusClient client = connect("salus.segment.size", "1m")) {
      assertThatThrownBy(() -> client.open("disk")).isInstanceOf(SalusException.NotFound.class);
      assertThatThrownBy(() -> client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT))
          .isInstanceOf(SalusException.AlreadyExists.class)
          .hasMessageContaining("SalusClient.repairs");
    }
  }

  private void readAll(long mounted) throws Exception {
    try (SalusClient client = connect("salus.segment.size", "1m");
        Volume v = client.open("disk")) {
      VolumeInfo info = client.info("disk");
      assertThat(info.writer().mountEpoch())
          .as("mounts never go back")
          .isGreaterThan(mounted + (1 << 20) - 1);
      assertThat(info.regions())
          .as("each goes on from its chain of epochs")
          .allSatisfy(
              r -> {
                assertThat(r.epoch()).isGreaterThan(1);
                assertThat(r.replacements()).containsEntry("RECORD", 1);
              });
      ByteBuffer all = ByteBuffer.allocate(SIZE);
      v.read(0, all).join();
      assertThat(all.array()).isEqualTo(content);
      v.write(0, ByteBuffer.wrap(content, 4096, 4096)).join();
      v.flush().join();
    }
  }

  private SalusClient connect(String key, String value) throws IOException {
    return SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper(), key, value));
  }

  private void awaitServers() throws Exception {
    awaitServers(SERVERS);
  }

  private void awaitServers(int count) throws Exception {
    Await.until(
        count + " servers are registered",
        Duration.ofSeconds(60),
        () -> {
          try (SalusClient client = connect("salus.client.connect.timeout", "10s")) {
            return client.servers().size() == count;
          }
        });
  }

  private static void wipe(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private CommandAnswer salus(String... arguments) throws IOException {
    return CommandAnswer.of(cluster.zookeeper(), arguments);
  }
}
