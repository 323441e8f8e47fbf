package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/** Bytes of finished replicas are wrong, on disk, on a cluster with only as many DataNodes as replicas. */
class ScrubTest {
  private static final int SERVERS = 3;
  private static final int BYTES = 24 << 20;
  private static final int BLOCK = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir
  Path dir;

  @Test
  void theScrubberFindsEveryBadReplicaAndHasItMadeAnew() throws Exception {
    byte[] content = new byte[BYTES];
    new Random(5).nextBytes(content);
    Map<String, String> settings = Map.of("salus.scrub.rate", "1g", "salus.scrub.interval", "1s");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS, settings, step -> { });
        SalusClient client = SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", content.length, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        v.write(0, ByteBuffer.wrap(content)).join();
        v.flush().join();
        Await.until("the volume is healthy and a pass is through", PATIENCE, () -> isQuietAndHealthy(client));
        v.write(0, ByteBuffer.wrap(content)).join(); // manifests of later segments name the checkpoints, and so finish them
        v.flush().join();
        Await.until("each region has a finished file of the kind to damage", PATIENCE, () -> {
          List<String> finished = finished(cluster);
          return isQuietAndHealthy(client) && Stream.of(0, 1, 2).allMatch(r -> finished.stream().anyMatch(p -> p.contains(toDamage(r))));
        });
        List<String> damaged = damage(cluster);
        Await.until("all that is damaged was found and repaired", PATIENCE, () -> findings(client).containsAll(damaged));
        Await.until("the volume is healthy again", PATIENCE, () -> client.info("disk").health().equals("healthy"));
        for (String path : damaged) {
          assertEqualReplicas(cluster, path);
        }
        VolumeInfo info = client.info("disk");
        assertThat(info.scrubs().stream().mapToLong(VolumeInfo.Scrub::bad).sum()).isEqualTo(damaged.size());
        assertThat(info.scrubs().stream().mapToLong(VolumeInfo.Scrub::repaired).sum()).isEqualTo(damaged.size());
        assertThat(info.regions()).allSatisfy(r -> assertThat(r.replacements()).as("no member had to go").isEmpty());
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

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
        int block = BlockFiles.flip(dir, content, 1000, "SAL1");
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

  private static boolean isQuietAndHealthy(SalusClient client) {
    VolumeInfo info = client.info("disk");
    boolean flushed = info.regions().stream().flatMap(r -> r.members().stream()).allMatch(m -> m.status() != null && m.status().checkpoints() > 0);
    return flushed && info.health().equals("healthy") && info.scrubs().size() == SERVERS && info.scrubs().stream().allMatch(s -> s.passes() > 0);
  }

  /** The files whose last bad replica was repaired. */
  private static List<String> findings(SalusClient client) {
    VolumeInfo info = client.info("disk");
    info.regions().stream().map(VolumeInfo.Region::finding).filter(f -> f != null).forEach(f -> System.out.println("found: " + f));
    return info.regions().stream().map(VolumeInfo.Region::finding).filter(f -> f != null && f.repaired()).map(VolumeInfo.Finding::path).toList();
  }

  /** In each region a file of another kind, each on another DataNode, HDFS's own checksum right in every second; their paths. */
  private List<String> damage(EmbeddedCluster cluster) throws IOException {
    List<String> damaged = new ArrayList<>();
    for (int region = 0; region < SERVERS; region++) {
      String wanted = toDamage(region);
      String path = finished(cluster).stream().filter(p -> p.contains(wanted)).findFirst().orElseThrow(() -> new IOException("there is no " + wanted));
      Path block = block(cluster, path, region);
      byte[] bytes = Files.readAllBytes(block);
      bytes[bytes.length / 3] ^= 0x10;
      Files.write(block, bytes);
      if (region != 0) {
        BlockMeta.rewrite(block);
      }
      System.out.println("damaged: " + path + " in " + block);
      damaged.add(path);
    }
    return damaged;
  }

  /** In the path of the file that is damaged in a region. */
  private static String toDamage(int region) {
    return String.format("/%04d/%s", region, region == 1 ? "log-" : "cp-");
  }

  private static List<String> finished(EmbeddedCluster cluster) throws IOException {
    List<String> paths = new ArrayList<>();
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      for (RemoteIterator<LocatedFileStatus> files = fs.listFiles(new org.apache.hadoop.fs.Path("/salus"), true); files.hasNext();) {
        LocatedFileStatus file = files.next();
        if (fs.isFileClosed(file.getPath())) {
          paths.add(file.getPath().toUri().getPath());
        }
      }
    }
    return paths;
  }

  private static DistributedFileSystem fileSystem(EmbeddedCluster cluster) throws IOException {
    return (DistributedFileSystem) FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration());
  }

  /** The file of a replica on disk. */
  private Path block(EmbeddedCluster cluster, String path, int dataNode) throws IOException {
    try (DistributedFileSystem fs = fileSystem(cluster); Stream<Path> all = Files.walk(dir.resolve("hdfs/datanode" + dataNode))) {
      String name = fs.getClient().getLocatedBlocks(path, 0).get(0).getBlock().getBlockName();
      return all.filter(f -> f.getFileName().toString().equals(name)).findFirst()
          .orElseThrow(() -> new IOException("DataNode " + dataNode + " has no replica of " + path));
    }
  }

  private void assertEqualReplicas(EmbeddedCluster cluster, String path) throws IOException {
    byte[] first = Files.readAllBytes(block(cluster, path, 0));
    for (int i = 1; i < SERVERS; i++) {
      assertThat(Arrays.equals(Files.readAllBytes(block(cluster, path, i)), first)).as("replicas 0 and " + i + " of " + path + " are equal").isTrue();
    }
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      assertThat(fs.getFileStatus(new org.apache.hadoop.fs.Path(path)).getReplication()).isEqualTo((short) 3);
      assertThat(fs.getClient().getLocatedBlocks(path, 0).get(0).getLocations()).hasSize(SERVERS);
    }
  }
}
