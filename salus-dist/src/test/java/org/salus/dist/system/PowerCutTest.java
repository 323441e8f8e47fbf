package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.LocalCluster;
import org.salus.nbd.Exports;
import org.salus.nbd.netty.NbdServer;

/**
 * Every process of a cluster is killed at once, and each disk drops what was not synced: the
 * DataNodes' disks and that of NameNode and ZooKeeper. {@code -Dsalus.powercut.points=20} makes
 * more power cuts, {@code -Dsalus.powercut.survived=20} more that an open handle survives, and
 * {@code -Dsalus.powercut.seed=N} the same writes.
 */
@Tag("long")
@Tag("cluster")
class PowerCutTest {
  private static final int POINTS = Integer.getInteger("salus.powercut.points", 1);
  private static final int SURVIVED = Integer.getInteger("salus.powercut.survived", 1);

  /** One cut may find everything on disk by chance. */
  private static final int MOST_LOSSES = 5;

  private static final int UNFLUSHED = 100;

  private static final int SERVERS = 3;
  private static final long SIZE = 64L << 20;
  private static final long DISK = 4L << 30;
  private static final int LONGEST_MILLIS = 6_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  static Path dir;

  private static final ClusterOnDisks onDisks = new ClusterOnDisks();
  private static LocalCluster cluster;

  @BeforeAll
  static void makeDisks() throws Exception {
    Path root = dir.resolve("cluster");
    onDisks.add(dir.resolve("disk"), root, DISK);
    for (int i = 0; i < SERVERS; i++) {
      Path data = Files.createDirectories(root.resolve("hdfs").resolve("datanode" + i));
      Shell.run("sync", "-f", root.toString());
      onDisks.add(dir.resolve("disk" + i), data, DISK);
    }
    cluster = onDisks.make(root);
  }

  @AfterAll
  static void takeDown() throws Exception {
    onDisks.close();
  }

  @Test
  void aVolatileDiskKeepsWhatWasSyncedAndLosesWhatWasNot() throws Exception {
    try (ClusterOnDisks own = new ClusterOnDisks()) {
      Path root = dir.resolve("root");
      keepsWhatWasSynced(own.add(dir.resolve("small"), root, 64 << 20), root);
    }
  }

  private static void keepsWhatWasSynced(VolatileDisk disk, Path root) throws Exception {
    byte[] content = new byte[100_000];
    new Random(3).nextBytes(content);
    Files.write(root.resolve("synced"), content);
    Shell.run("sync", root.resolve("synced").toString(), root.toString());
    Files.write(root.resolve("unsynced"), content);
    assertThat(list(root)).containsExactly("synced", "unsynced");
    disk.cutPower();
    disk.remove();
    disk.powerOn();
    assertThat(list(root)).containsExactly("synced");
    assertThat(root.resolve("synced")).hasBinaryContent(content);
  }

  private static List<String> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  @Timeout(3600)
  void volumesMountAfterPowerCutsWithAPrefixThatHasAllThatWasPromised() throws Exception {
    long seed = Long.getLong("salus.powercut.seed", System.nanoTime());
    System.out.println(
        "power cuts: -Dsalus.powercut.seed=" + seed + " -Dsalus.powercut.points=" + POINTS);
    Random random = new Random(seed);
    NumberedWrites synced = new NumberedWrites("synced-by-mounts", SIZE, random.nextLong());
    NumberedWrites replicated = new NumberedWrites("replicated-by-mounts", SIZE, random.nextLong());
    for (int point = 0; point <= POINTS; point++) {
      start();
      try (SalusClient client = connect()) {
        if (point == 0) {
          create(client, synced, replicated);
        }
        long begin = System.nanoTime();
        Volume one = client.open(synced.name(), true);
        Volume other = client.open(replicated.name(), true);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.out.println(
            "power cuts: after "
                + point
                + ", mounted in "
                + millis
                + " ms: synced "
                + synced.check(one, true)
                + ", replicated "
                + replicated.check(other, false));
        if (point < POINTS) {
          synced.begin(one);
          replicated.begin(other);
          run(Duration.ofMillis(random.nextInt(LONGEST_MILLIS)));
          cut();
          synced.stop();
          replicated.stop();
        }
      }
      if (point < POINTS) {
        powerOn();
      }
    }
  }

  @Test
  @Timeout(3600)
  void anOpenHandleHasAfterPowerCutsAllThatItAcknowledgedOrEnds() throws Exception {
    long seed = Long.getLong("salus.powercut.seed", System.nanoTime());
    System.out.println("power cuts, the client survives: -Dsalus.powercut.seed=" + seed);
    Random random = new Random(seed);
    NumberedWrites synced = new NumberedWrites("synced", SIZE, random.nextLong());
    NumberedWrites replicated = new NumberedWrites("replicated", SIZE, random.nextLong());
    start();
    try (SalusClient client = connect()) {
      create(client, synced, replicated);
      Volume one = client.open(synced.name(), true);
      Volume other = client.open(replicated.name(), true);
      for (int point = 1; point <= SURVIVED; point++) {
        synced.begin(one);
        replicated.begin(other);
        synced.awaitAcknowledged(1000);
        replicated.awaitAcknowledged(1000);
        run(Duration.ofMillis(random.nextInt(LONGEST_MILLIS)));
        cut();
        synced.stop();
        replicated.stop();
        powerOn();
        start();
        synced.awaitAnswers();
        replicated.awaitAnswers();
        one.flush().join();
        System.out.println("power cuts: survived " + point + ": " + synced.checkAcknowledged(one));
        other = goneOnOrEnded(client, other, replicated);
      }
      losesWhatWasNotFlushed(client, other, true);
      losesWhatWasNotFlushed(client, client.open(replicated.name(), true), false);
    }
  }

  /**
   * Cuts the power until that has taken acknowledged writes from an open handle.
   *
   * @param forLong whether it stays off each time until the handle's session has ended, so that a
   *     mount finds the loss. Otherwise the session may live through it, and hear of the loss
   */
  private static void losesWhatWasNotFlushed(SalusClient client, Volume volume, boolean forLong)
      throws Exception {
    Throwable end = null;
    for (int i = 0; end == null && i < MOST_LOSSES; i++) {
      volume.flush().join();
      for (int block = 0; block < UNFLUSHED; block++) {
        volume.write(4096L * block, ByteBuffer.allocate(4096).putInt(0, i + 1)).join();
      }
      cutPower(volume, forLong);
      powerOn();
      start();
      end = catchThrowable(() -> volume.flush().join());
    }
    assertThat(end)
        .as("what is not flushed")
        .hasRootCauseInstanceOf(SalusException.Integrity.class);
    bridgeAnswersWithErrors(volume);
    volume.close();
    infoTellsOfTheLossUntilItIsAccepted(client, volume.name());
  }

  private static void cutPower(Volume volume, boolean forLong) throws Exception {
    try (LogLines lines = new LogLines()) {
      cut();
      if (forLong) {
        Await.until(
            "the lease is lost",
            Duration.ofSeconds(60),
            () ->
                lines.lines().stream()
                    .anyMatch(
                        l -> l.contains("lost the writer's lease /volumes/" + volume.name())));
      }
    }
  }

  private static void infoTellsOfTheLossUntilItIsAccepted(SalusClient client, String name) {
    List<VolumeInfo.Loss> losses = client.info(name).losses();
    assertThat(losses).isNotEmpty();
    VolumeInfo.Loss loss = losses.get(losses.size() - 1);
    assertThat(loss.acked()).isGreaterThan(loss.prefix());
    System.out.println("power cuts: noted: " + loss);
    client.open(name, true).close(); // the first one may know better how far the volume goes back
    client.open(name, true).close();
    VolumeInfo info = client.info(name);
    assertThat(info.losses()).hasSameSizeAs(losses);
    VolumeInfo.Loss known = info.losses().get(losses.size() - 1);
    assertThat(known.acked()).isEqualTo(loss.acked());
    assertThat(known.prefix()).isBetween(loss.prefix(), loss.acked() - 1);
    if (!loss.served()) {
      assertThat(known).isEqualTo(loss);
    }
    assertThat(info.health()).isNotEqualTo("healthy");
    assertThat(info.why())
        .contains("acknowledged and not flushed")
        .contains(known.at().toString())
        .contains("salus volume accept-losses " + name + " " + known.id());
    assertThat(client.acceptLosses(name, info.losses())).isEmpty();
    assertThat(client.info(name).losses()).isEmpty();
    assertThat(client.info(name).why()).doesNotContain("accept-losses");
  }

  /** The handle itself if it has everything that it acknowledged; a new one if it ended. */
  private static Volume goneOnOrEnded(SalusClient client, Volume volume, NumberedWrites writes) {
    Throwable end = catchThrowable(() -> volume.flush().join());
    if (end == null) {
      System.out.println("power cuts: goes on: " + writes.checkAcknowledged(volume));
      return volume;
    }
    assertThat(end).hasRootCauseInstanceOf(SalusException.Integrity.class);
    assertThatThrownBy(() -> volume.read(0, ByteBuffer.allocate(1)).join())
        .as("a read by the handle that ended")
        .hasCauseInstanceOf(SalusException.class);
    volume.close();
    List<VolumeInfo.Loss> losses = client.info(volume.name()).losses();
    assertThat(losses).as("what is noted of it").isNotEmpty();
    client.acceptLosses(volume.name(), losses);
    Volume next = client.open(volume.name(), true);
    System.out.println("power cuts: ended: " + end.getMessage());
    System.out.println("power cuts: mounted again: " + writes.check(next, false));
    return next;
  }

  /** Each command has a connection of its own, as after a reconnect. */
  private static void bridgeAnswersWithErrors(Volume ended) throws Exception {
    Exports exports =
        new Exports() {
          @Override
          public List<String> names() {
            return List.of(ended.name());
          }

          @Override
          public Volume find(String name) {
            return ended;
          }
        };
    try (NbdServer bridge = NbdServer.tcp(new InetSocketAddress("127.0.0.1", 0), exports)) {
      String uri = "nbd://127.0.0.1:" + bridge.port() + "/" + ended.name();
      for (String command :
          List.of("read 0 4k", "write 0 4k", "write -z 0 4k", "write -f 0 4k", "discard 0 4k")) {
        Shell.Result answer = Shell.tryRun("qemu-io", "-f", "raw", "-c", command, uri);
        assertThat(answer.output()).as(command).contains("Input/output error");
      }
    }
  }

  private static void start() throws Exception {
    long begin = System.nanoTime();
    cluster.start(SERVERS, Map.of(), step -> {});
    System.out.println(
        "power cuts: the cluster runs after "
            + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin)
            + " ms");
  }

  private static SalusClient connect() throws IOException {
    return SalusClient.connect(
        Map.of(
            "salus.zookeeper.quorum",
            cluster.zookeeper(),
            "salus.segment.size",
            "4m",
            "salus.client.request.timeout",
            "90s"));
  }

  private static void create(SalusClient client, NumberedWrites synced, NumberedWrites replicated) {
    client.create(synced.name(), SIZE, new CreateOptions(4096, true, 0));
    client.create(replicated.name(), SIZE, CreateOptions.DEFAULT);
  }

  private static void run(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static void cut() throws Exception {
    onDisks.killAll();
    for (VolatileDisk d : onDisks.disks()) {
      d.cutPower();
    }
    for (VolatileDisk d : onDisks.newestFirst()) {
      d.remove();
    }
  }

  private static void powerOn() throws Exception {
    for (VolatileDisk d : onDisks.disks()) {
      d.powerOn();
    }
  }
}
