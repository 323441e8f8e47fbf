package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.dist.system.Reads.read;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ipc.CallerContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.core.log.LogRecord;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.host.DaemonThreads;

/**
 * More is broken than three replicas can bear. Requests that cannot be answered rightly are
 * refused, and the refusal says what is missing.
 */
@Timeout(1800)
@Tag("cluster")
@Tag("embedded")
class RefusalsTest {
  private static final int BLOCK = 4096;
  private static final int SIZE = 4 << 20;
  private static final int SERVERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path dir;

  private LogLines log;

  @BeforeEach
  void listen() {
    log = new LogLines();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    log.close();
    SwitchedGuard.off = false;
    Await.until(
        "no NameNode that has stopped follows ZooKeeper",
        PATIENCE,
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(t -> t.getName().startsWith("salus-mirror")));
  }

  private EmbeddedCluster start() throws IOException {
    return EmbeddedCluster.start(
        dir, SERVERS, Map.of(ChangeGuard.CLASS_KEY, SwitchedGuard.class.getName()), step -> {});
  }

  private static SalusClient connect(EmbeddedCluster cluster, String... more) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "salus.zookeeper.quorum",
                cluster.zookeeper(),
                "salus.client.request.timeout",
                "10s"));
    for (int i = 0; i < more.length; i += 2) {
      settings.put(more[i], more[i + 1]);
    }
    return SalusClient.connect(settings);
  }

  private static byte[] content(String volume) {
    byte[] content = new byte[SIZE];
    new Random(volume.hashCode()).nextBytes(content);
    return content;
  }

  @Test
  void whatIsMissingIsNamedAndNothingElseIsReadInItsPlace() throws Exception {
    Map<Long, Integer> formats = new HashMap<>();
    try (EmbeddedCluster cluster = start();
        SalusClient client = connect(cluster)) {
      for (String name : List.of("damaged", "deleted", "newer", "older", "few")) {
        client.create(name, SIZE, SalusClient.CreateOptions.DEFAULT);
        try (Volume v = client.open(name)) {
          v.write(0, ByteBuffer.wrap(content(name))).join();
          v.flush().join();
        }
      }
      anotherSecretIsRefused(cluster);
      assertThat(BlockFiles.flipAll(dir, content("damaged"), 3)).isEqualTo(SERVERS);
      onlyTheBlockThatNobodyHasIsRefused(client, content("damaged"), 3);
      deleteRegion(cluster, "deleted");
      formats.put(Long.parseUnsignedLong(client.info("newer").id(), 16), LogRecord.FORMAT + 1);
      formats.put(Long.parseUnsignedLong(client.info("older").id(), 16), LogRecord.FORMAT - 1);
    }
    for (Path replica : BlockFiles.all(dir)) {
      byte[] head = Arrays.copyOf(Files.readAllBytes(replica), 17);
      Integer format = formats.get(ByteBuffer.wrap(head).getLong(9));
      if (new String(head, 0, 4, StandardCharsets.US_ASCII).equals("SAL" + LogRecord.FORMAT)
          && format != null) {
        try (RandomAccessFile f = new RandomAccessFile(replica.toFile(), "rw")) {
          f.write(("SAL" + format).getBytes(StandardCharsets.US_ASCII));
        }
      }
    }
    try (EmbeddedCluster cluster = start();
        SalusClient client = connect(cluster)) {
      refuses(
          client,
          Map.of(
              "damaged",
              "was certified up to byte",
              "deleted",
              "has served: its files",
              "newer",
              "was written in format "
                  + (LogRecord.FORMAT + 1)
                  + ", this program reads "
                  + LogRecord.FORMAT,
              "older",
              "was written in format "
                  + (LogRecord.FORMAT - 1)
                  + ", this program reads "
                  + LogRecord.FORMAT));
      tooFewServersAreAwaitedAndThenAnError(cluster, client);
    }
  }

  /** Only this block is refused, until it is written again. No member is replaced for it. */
  private void onlyTheBlockThatNobodyHasIsRefused(SalusClient client, byte[] content, int block)
      throws Exception {
    try (Volume v = client.open("damaged")) {
      assertThatThrownBy(() -> read(v, (long) block * BLOCK, BLOCK))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(SalusException.Integrity.class);
      assertThat(log.lines())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("volume damaged")
                      .contains("no member has the blocks [" + block + "]"));
      Await.until(
          "everybody is told",
          PATIENCE,
          () -> client.info("damaged").why().contains("no member has the blocks [" + block + "]"));
      assertThatThrownBy(() -> v.write((long) block * BLOCK + 1, ByteBuffer.allocate(1)).join())
          .as("in part")
          .hasCauseInstanceOf(SalusException.Integrity.class);
      int behind = (block + 1) * BLOCK;
      assertThat(read(v, behind, SIZE - behind))
          .isEqualTo(Arrays.copyOfRange(content, behind, SIZE));
      v.write(0, ByteBuffer.wrap(content, 0, block * BLOCK)).join();
      assertThat(read(v, 0, block * BLOCK)).isEqualTo(Arrays.copyOf(content, block * BLOCK));
      assertThat(client.info("damaged").regions())
          .allSatisfy(
              r ->
                  assertThat(r.replacements())
                      .doesNotContainKeys("FAILED", "DIFFERED", "WRONG_ANSWER"));
      v.write((long) block * BLOCK, ByteBuffer.wrap(content, block * BLOCK, BLOCK)).join();
      v.flush().join();
      assertThat(read(v, 0, SIZE)).isEqualTo(content);
      Await.until(
          "the volume is healthy again",
          PATIENCE,
          () -> client.info("damaged").health().equals("healthy"));
    }
  }

  private static void anotherSecretIsRefused(EmbeddedCluster cluster) {
    try (SalusClient other = connect(cluster, "salus.secret", "another")) {
      assertThatThrownBy(() -> other.open("few"))
          .isInstanceOf(SalusException.Incompatible.class)
          .hasMessageContaining("salus.secret");
      assertThatThrownBy(() -> other.create("more", SIZE, SalusClient.CreateOptions.DEFAULT))
          .isInstanceOf(SalusException.Incompatible.class);
    }
  }

  /** Of each volume, both the region's note and a mount's failure say why. */
  private static void refuses(SalusClient client, Map<String, String> why) throws Exception {
    for (Map.Entry<String, String> volume : why.entrySet()) {
      Await.until(
          volume.toString(),
          PATIENCE,
          () ->
              client.info(volume.getKey()).regions().stream()
                  .anyMatch(r -> r.note().contains(volume.getValue())));
    }
    // Side by side, because each mount times out.
    Map<String, CompletableFuture<Volume>> mounts = new HashMap<>();
    for (String volume : why.keySet()) {
      mounts.put(
          volume,
          CompletableFuture.supplyAsync(
              () -> client.open(volume), task -> DaemonThreads.start("mount", task)));
    }
    mounts.forEach(
        (volume, mount) ->
            assertThatThrownBy(mount::join)
                .as(volume)
                .cause()
                .isInstanceOf(SalusException.TimedOut.class)
                .hasMessageContaining("region "));
  }

  private void tooFewServersAreAwaitedAndThenAnError(EmbeddedCluster cluster, SalusClient client)
      throws Exception {
    try (Volume v = client.open("few")) {
      assertThat(read(v, 0, SIZE)).isEqualTo(content("few"));
      List<String> nodes = client.servers();
      cluster.abortServer(nodes.get(0), "a test");
      cluster.abortServer(nodes.get(1), "a test");
      Await.until(
          "the region says what it waits for",
          PATIENCE,
          () ->
              client.info("few").regions().stream()
                  .anyMatch(r -> r.note().contains("salus.rrs.min-members asks for 2")));
      assertThatThrownBy(() -> v.write(0, ByteBuffer.allocate(BLOCK)).join())
          .hasCauseInstanceOf(SalusException.UnknownOutcome.class)
          .hasRootCauseInstanceOf(SalusException.TimedOut.class)
          .hasMessageContaining("salus.rrs.min-members");
      assertThat(log.lines())
          .anySatisfy(
              line ->
                  assertThat(line)
                      .contains("volume few")
                      .contains("wait, the oldest since")
                      .contains("salus.rrs.min-members"));
    }
    long begin = System.nanoTime();
    assertThatThrownBy(() -> client.open("few"))
        .isInstanceOf(SalusException.TimedOut.class)
        .hasMessageContaining("salus.rrs.min-members");
    assertThat(System.nanoTime() - begin)
        .as("patience")
        .isBetween(Duration.ofSeconds(9).toNanos(), Duration.ofSeconds(30).toNanos());
  }

  /** Deletes a region's files as HDFS' superuser. The guard refuses this until it is off. */
  private static void deleteRegion(EmbeddedCluster cluster, String volume) throws Exception {
    CallerContext.setCurrent(
        new CallerContext.Builder("test").setSignature(new byte[] {1}).build());
    try (FileSystem fs =
        FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration())) {
      org.apache.hadoop.fs.Path region =
          new org.apache.hadoop.fs.Path(
              fs.globStatus(new org.apache.hadoop.fs.Path("/salus/" + volume + "-*"))[0].getPath(),
              "0001");
      assertThatThrownBy(() -> fs.delete(region, true))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("refused");
      assertThat(fs.exists(region)).isTrue();
      SwitchedGuard.off = true;
      assertThat(fs.delete(region, true)).isTrue();
      SwitchedGuard.off = false;
    } finally {
      CallerContext.setCurrent(null);
    }
  }
}
