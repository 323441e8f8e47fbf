package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.faulty.hdfs.BlockChecksums;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/**
 * Bytes of finished replicas are wrong on disk, on a cluster with only as many DataNodes as
 * replicas.
 */
@Tag("cluster")
@Tag("embedded")
class ScrubTest {
  private static final int SERVERS = 3;
  private static final int BYTES = 24 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  void theScrubberFindsEveryBadReplicaAndHasItMadeAnew() throws Exception {
    byte[] content = new byte[BYTES];
    new Random(5).nextBytes(content);
    Map<String, String> settings = Map.of("salus.scrub.rate", "1g", "salus.scrub.interval", "1s");
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS, settings, step -> {});
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", content.length, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk")) {
        v.write(0, ByteBuffer.wrap(content)).join();
        v.flush().join();
        Await.until(
            "the volume is healthy and a pass is through",
            PATIENCE,
            () -> isQuietAndHealthy(client));
        v.write(0, ByteBuffer.wrap(content))
            .join(); // manifests of later segments name the checkpoints, and so finish them
        v.flush().join();
        List<String> files = settled(cluster, client);
        List<String> damaged = damage(cluster, files);
        Await.until(
            "all that is damaged was found and repaired",
            PATIENCE,
            () -> {
              assertThat(finished(cluster)).as("files that nothing wants changed").isEqualTo(files);
              return repaired(client).containsAll(damaged);
            });
        Await.until(
            "the volume is healthy again",
            PATIENCE,
            () -> client.info("disk").health().equals("healthy"));
        for (String path : damaged) {
          assertEqualReplicas(cluster, path);
        }
        VolumeInfo info = client.info("disk");
        assertThat(info.scrubs().stream().mapToLong(VolumeInfo.Scrub::bad).sum())
            .isEqualTo(damaged.size());
        assertThat(info.scrubs().stream().mapToLong(VolumeInfo.Scrub::repaired).sum())
            .isEqualTo(damaged.size());
        assertThat(info.regions())
            .allSatisfy(
                r ->
                    assertThat(r.replacements())
                        .as("no member had to go for its files")
                        .doesNotContainKeys("FAILED", "DIFFERED", "WRONG_ANSWER"));
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

  private static boolean isQuietAndHealthy(SalusClient client) {
    VolumeInfo info = client.info("disk");
    boolean flushed =
        info.regions().stream()
            .flatMap(r -> r.members().stream())
            .allMatch(
                m ->
                    m.status() != null && m.status().checkpoints() > 0 && m.status().builds() == 0);
    return flushed
        && info.health().equals("healthy")
        && info.scrubs().size() == SERVERS
        && info.scrubs().stream().allMatch(s -> s.passes() > 0);
  }

  /**
   * Waits until nothing changes the finished files any more and each server has checked all of them
   * twice. Returns them. Files that no manifest names are deleted by then. The newest manifest
   * names the oldest files of each kind.
   */
  private static List<String> settled(EmbeddedCluster cluster, SalusClient client)
      throws Exception {
    List<String> last = new ArrayList<>();
    Map<String, Long> passes = new HashMap<>();
    Await.until(
        "two passes see the same files, and each region has one of the kind to damage",
        PATIENCE,
        () -> {
          List<String> now = finished(cluster);
          if (!now.equals(last) || !isQuietAndHealthy(client)) {
            last.clear();
            last.addAll(now);
            passes.clear();
            client.info("disk").scrubs().forEach(s -> passes.put(s.node(), s.passes()));
          }
          boolean seen =
              client.info("disk").scrubs().stream()
                  .allMatch(
                      s -> s.passes() >= passes.getOrDefault(s.node(), Long.MAX_VALUE - 2) + 2);
          return seen
              && Stream.of(0, 1, 2)
                  .allMatch(r -> now.stream().anyMatch(p -> p.contains(toDamage(r))));
        });
    return List.copyOf(last);
  }

  /** The files whose last bad replica was repaired. */
  private static List<String> repaired(SalusClient client) {
    return client.info("disk").regions().stream()
        .map(VolumeInfo.Region::finding)
        .filter(f -> f != null && f.repaired())
        .map(VolumeInfo.Finding::path)
        .toList();
  }

  /**
   * Damages one file in each region, each on another DataNode. In all regions but the first, HDFS's
   * own checksum matches the wrong bytes. Returns the files' paths.
   */
  private List<String> damage(EmbeddedCluster cluster, List<String> files) throws IOException {
    List<String> damaged = new ArrayList<>();
    for (int region = 0; region < SERVERS; region++) {
      String wanted = toDamage(region);
      String path = files.stream().filter(p -> p.contains(wanted)).findFirst().orElseThrow();
      Path block = block(cluster, path, region);
      byte[] bytes = Files.readAllBytes(block);
      bytes[bytes.length / 3] ^= 0x10;
      Files.write(block, bytes);
      if (region != 0) {
        BlockChecksums.fit(block);
      }
      damaged.add(path);
    }
    return damaged;
  }

  /** A part of the path of the file that is damaged in a region. */
  private static String toDamage(int region) {
    return String.format("/%04d/%s", region, region == 1 ? "log-" : "cp-");
  }

  private static List<String> finished(EmbeddedCluster cluster) throws IOException {
    List<String> paths = new ArrayList<>();
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      for (RemoteIterator<LocatedFileStatus> files =
              fs.listFiles(new org.apache.hadoop.fs.Path("/salus"), true);
          files.hasNext(); ) {
        LocatedFileStatus file = files.next();
        if (isFinished(fs, file.getPath())) {
          paths.add(file.getPath().toUri().getPath());
        }
      }
    }
    Collections.sort(paths);
    return paths;
  }

  private static boolean isFinished(DistributedFileSystem fs, org.apache.hadoop.fs.Path file)
      throws IOException {
    try {
      return fs.isFileClosed(file);
    } catch (FileNotFoundException deleted) {
      return false; // since it was listed
    }
  }

  private static DistributedFileSystem fileSystem(EmbeddedCluster cluster) throws IOException {
    return (DistributedFileSystem)
        FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration());
  }

  /** The file of a replica on disk. */
  private Path block(EmbeddedCluster cluster, String path, int dataNode) throws IOException {
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      String name = fs.getClient().getLocatedBlocks(path, 0).get(0).getBlock().getBlockName();
      return BlockFiles.all(dir.resolve("hdfs/datanode" + dataNode)).stream()
          .filter(f -> f.getFileName().toString().equals(name))
          .findFirst()
          .orElseThrow(
              () -> new IOException("DataNode " + dataNode + " has no replica of " + path));
    }
  }

  private void assertEqualReplicas(EmbeddedCluster cluster, String path) throws IOException {
    byte[] first = Files.readAllBytes(block(cluster, path, 0));
    for (int i = 1; i < SERVERS; i++) {
      assertThat(Arrays.equals(Files.readAllBytes(block(cluster, path, i)), first))
          .as("replicas 0 and " + i + " of " + path + " are equal")
          .isTrue();
    }
    try (DistributedFileSystem fs = fileSystem(cluster)) {
      assertThat(fs.getFileStatus(new org.apache.hadoop.fs.Path(path)).getReplication())
          .isEqualTo((short) 3);
      assertThat(fs.getClient().getLocatedBlocks(path, 0).get(0).getLocations()).hasSize(SERVERS);
    }
  }
}
