package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.LocalCluster;

/** A disk under one DataNode suddenly fails every read, write and flush with EIO. */
@Tag("cluster")
class DiskErrorTest {
  private static final int SERVERS = 4;
  private static final long SIZE = 64L << 20;
  private static final long DISK = 4L << 30;
  private static final int SOME = 200;
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private final ClusterOnDisks onDisks = new ClusterOnDisks();
  private LocalCluster cluster;

  @AfterEach
  void takeDown() throws Exception {
    onDisks.close();
  }

  @Test
  void aBrokenDiskFailsWhatIsSyncedToIt() throws Exception {
    Path root = dir.resolve("root");
    VolatileDisk disk = onDisks.add(dir.resolve("disk"), root, 64 << 20);
    Shell.run(
        "dd",
        "status=none",
        "if=/dev/zero",
        "of=" + root.resolve("before"),
        "count=1",
        "conv=fsync");
    disk.breakDown();
    assertThatThrownBy(
            () ->
                Shell.run(
                    "dd",
                    "status=none",
                    "if=/dev/zero",
                    "of=" + root.resolve("after"),
                    "count=1",
                    "conv=fsync"))
        .hasMessageMatching("(?s).*(Input/output error|Read-only file system).*");
  }

  @Test
  @Timeout(1800)
  void aVolumeIsReadAndWrittenOnAndGetsAnotherMemberForTheOneWhoseDiskBroke() throws Exception {
    long seed = System.nanoTime();
    System.out.println("disk error: seed " + seed);
    start();
    NumberedWrites writes = new NumberedWrites("disk", SIZE, seed);
    try (SalusClient client =
        SalusClient.connect(
            Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "4m"))) {
      client.create("disk", SIZE, new CreateOptions(4096, true, 0));
      int broken;
      try (Volume volume = client.open("disk")) {
        writes.begin(volume);
        awaitSome(writes);
        String address = client.info("disk").regions().get(0).members().get(1).node();
        broken =
            IntStream.range(0, SERVERS)
                .filter(i -> address.startsWith(ServerAddresses.LOOPBACK.server(i) + ":"))
                .findFirst()
                .orElseThrow();
        long begin = System.nanoTime();
        onDisks.disks().get(broken).breakDown();
        awaitSome(writes);
        Await.until(
            "every region has three members on other disks",
            PATIENCE,
            () -> isWholeWithout(client.info("disk"), broken));
        System.out.println(
            "disk error: three members again after "
                + (System.nanoTime() - begin) / 1_000_000
                + " ms");
        awaitSome(writes);
        writes.stop();
        writes.awaitAnswers();
      }
      try (Volume again = client.open("disk")) {
        NumberedWrites.Prefix found = writes.check(again, true);
        assertThat(found.acknowledged()).as("no write failed").isEqualTo(found.issued());
        assertThat(found.last()).isEqualTo(found.issued());
      }
    }
  }

  /** Every DataNode has a disk of its own: which of them are members is known only later. */
  private void start() throws Exception {
    Path root = dir.resolve("cluster");
    for (int i = 0; i < SERVERS; i++) {
      onDisks.add(
          dir.resolve("disk" + i),
          Files.createDirectories(root.resolve("hdfs").resolve("datanode" + i)),
          DISK);
    }
    cluster = onDisks.make(root);
    cluster.start(SERVERS, Map.of(), step -> {});
  }

  private static void awaitSome(NumberedWrites writes) throws Exception {
    long before = writes.acknowledged();
    Await.until(SOME + " more writes", PATIENCE, () -> writes.acknowledged() >= before + SOME);
  }

  private static boolean isWholeWithout(VolumeInfo info, int server) {
    return info.serving()
        && info.regions().stream()
            .allMatch(
                r ->
                    r.members().size() == 3
                        && r.members().stream()
                            .noneMatch(
                                m ->
                                    m.node()
                                        .startsWith(
                                            ServerAddresses.LOOPBACK.server(server) + ":")));
  }
}
