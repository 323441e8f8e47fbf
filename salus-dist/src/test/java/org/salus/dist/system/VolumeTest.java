package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.dist.system.Reads.read;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.OpenOptions;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.client.nio.VolumeChannel;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/** Checks what a Java application sees of volumes on a cluster. */
@Tag("cluster")
@Tag("embedded")
class VolumeTest {
  private static final int MIB = 1 << 20;
  private static final int BLOCK = 4096;

  @TempDir static Path dir;

  private static EmbeddedCluster cluster;
  private static SalusClient client;

  @BeforeAll
  static void start() throws Exception {
    cluster = EmbeddedCluster.start(dir, 4, Map.of(), step -> {});
    client = connect();
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.stop();
  }

  private static SalusClient connect() {
    return SalusClient.connect(
        Map.of("salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"));
  }

  private static Volume make(String name, int mib, boolean synced) {
    client.create(name, (long) mib * MIB, new SalusClient.CreateOptions(4096, synced, 0));
    return client.open(name);
  }

  @Test
  void aFreshVolumeOfAnySizeReadsAsZeros() {
    client.create("huge", 16L << 40, SalusClient.CreateOptions.DEFAULT);
    try (Volume v = client.open("huge")) {
      long end = v.size() - 10_000;
      assertThat(read(v, end, 10_000)).containsOnly(0);
      v.write(end + 17, ByteBuffer.wrap(new byte[] {1, 2, 3})).join();
      assertThat(read(v, end + 16, 5)).containsExactly(0, 1, 2, 3, 0);
      assertThat(v.extents(0, 1L << 40).join())
          .containsExactly(new Volume.Extent(0, 1L << 40, true));
    }
  }

  @Test
  void aVolumeIsSpreadOverAsManyRegionsAsItIsAskedFor() {
    client.create("spread", MIB, SalusClient.CreateOptions.DEFAULT);
    assertThat(client.info("spread").regions()).as("one for each server").hasSize(4);
    client.create("one-region", 4 * MIB, new SalusClient.CreateOptions(4096, false, 1));
    assertThat(client.info("one-region").regions()).hasSize(1);
    try (Volume v = client.open("one-region")) {
      v.write(3 * MIB, ByteBuffer.wrap(new byte[] {1, 2, 3})).join();
      assertThat(read(v, 3 * MIB - 1, 5)).containsExactly(0, 1, 2, 3, 0);
    }
  }

  @Test
  void aClientThatIsClosedGivesBackWhatIsOpenFirst() throws Exception {
    make("left-open", 1, false).close();
    Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, bug) -> {
          if (isOfSalus(bug)) { // else it is one of the cluster's in this process
            uncaught.add(bug);
          }
        });
    try (LogLines log = new LogLines()) {
      SalusClient other = connect();
      Volume v = other.open("left-open");
      CompletableFuture<Void> write = v.write(0, ByteBuffer.allocate(MIB));
      other.close();
      assertThat(write).as("done, or failed, when the client is closed").isDone();
      assertThat(log.lines()).noneMatch(line -> line.contains("left-open"));
      assertThat(uncaught).isEmpty();
      client.open("left-open").close();
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  private static boolean isOfSalus(Throwable bug) {
    return Stream.of(bug.getStackTrace()).anyMatch(f -> f.getClassName().startsWith("org.salus"));
  }

  @Test
  void anythingWrittenAtAnyPlaceReadsBackThroughFlushesAndMounts() throws Exception {
    long seed = System.nanoTime();
    System.out.println("anythingWrittenAtAnyPlace: seed " + seed);
    Random random = new Random(seed);
    byte[] content = new byte[24 * MIB];
    client.create("model", content.length, SalusClient.CreateOptions.DEFAULT);
    for (int mount = 0; mount < 3; mount++) {
      Model model = new Model(content);
      try (Volume v = client.open("model")) {
        assertThat(read(v, 0, content.length)).isEqualTo(content);
        List<CompletableFuture<?>> outstanding = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
          outstanding.add(change(v, model, random));
          if (i % 40 == 0) {
            outstanding.add(checkedRead(v, model, random));
            outstanding.addAll(readsSideBySide(v, model, random));
          }
        }
        CompletableFuture.allOf(outstanding.toArray(CompletableFuture[]::new)).join();
        v.flush().join();
        assertThat(Arrays.mismatch(read(v, 0, content.length), content)).isEqualTo(-1);
      }
    }
    Await.until(
        "region 0 has a checkpoint",
        Duration.ofSeconds(120),
        () -> {
          VolumeInfo.Status status =
              client.info("model").regions().get(0).members().get(0).status();
          return status != null && status.checkpoints() > 0;
        });
  }

  @Test
  void writesToPartsOfOneBlockFollowEachOther() {
    try (Volume v = make("parts", 1, false)) {
      byte[] expected = new byte[4096];
      Arrays.fill(expected, (byte) 9);
      v.write(0, ByteBuffer.wrap(expected)).join();
      List<CompletableFuture<Void>> outstanding = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        expected[100 * i] = (byte) i;
        outstanding.add(v.write(100L * i, ByteBuffer.wrap(new byte[] {(byte) i})));
      }
      CompletableFuture.allOf(outstanding.toArray(CompletableFuture[]::new))
          .orTimeout(60, TimeUnit.SECONDS)
          .join();
      assertThat(read(v, 0, 4096)).isEqualTo(expected);
    }
  }

  @Test
  void aBlockThatNoServerHasHoldsUpNoNeighbour() throws Exception {
    int lost = 3;
    byte[] content = new byte[8 * BLOCK];
    new Random(3).nextBytes(content);
    Duration impatience = Duration.ofSeconds(20);
    try (SalusClient other =
        SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      other.create("holed", MIB, new SalusClient.CreateOptions(BLOCK, false, 1));
      try (Volume v = other.open("holed", OpenOptions.DEFAULT.withRequestTimeout(impatience))) {
        v.write(0, ByteBuffer.wrap(content)).join();
        v.flush().join();
        for (int replica = 0; replica < 3; replica++) {
          BlockFiles.flip(dir, content, lost, "SAL" + LogRecord.FORMAT, 0);
        }
        List<CompletableFuture<?>> reads = new ArrayList<>();
        v.flush()
            .thenRun(
                () -> { // on the volume's own thread, so that all come before one of them is issued
                  Model model = new Model(content);
                  for (int block = 0; block < content.length / BLOCK; block++) {
                    reads.add(checkedRead(v, model, block * BLOCK, BLOCK));
                  }
                })
            .join();
        CompletableFuture<?> holed = reads.remove(lost);
        CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
        assertThat(holed)
            .failsWithin(impatience.plusSeconds(20))
            .withThrowableThat()
            .withCauseInstanceOf(SalusException.Integrity.class);
      }
      other.delete("holed", false);
    }
  }

  private static CuratorFramework records() {
    CuratorFramework raw =
        CuratorFrameworkFactory.newClient(cluster.zookeeper(), new RetryOneTime(100));
    raw.start();
    return raw;
  }

  @Test
  void aVolumeWhoseLeaseIsLostToNobodyIsMountedAgain() throws Exception {
    try (Volume v = make("lost", 1, false);
        CuratorFramework raw = records()) {
      v.write(0, ByteBuffer.wrap(new byte[] {1})).get();
      raw.delete().forPath("/salus/volumes/lost/writer");
      ByteBuffer read = ByteBuffer.allocate(1);
      Await.until(
          "the lease is taken again",
          Duration.ofSeconds(60),
          () -> raw.checkExists().forPath("/salus/volumes/lost/writer") != null);
      v.read(0, read).get(60, TimeUnit.SECONDS);
      assertThat(read.array()).containsExactly(1);
      v.write(0, ByteBuffer.wrap(new byte[] {2})).get(60, TimeUnit.SECONDS);
    }
  }

  /**
   * The ZooKeeper session is lost, as when ZooKeeper is away or the client stands still for longer
   * than the session's timeout.
   */
  @Test
  void aVolumeWhoseClientsSessionHasEndedIsMountedAgain() throws Exception {
    String node = "/salus/volumes/still/writer";
    try (SalusClient own = connect();
        CuratorFramework raw = records()) {
      own.create("still", MIB, new SalusClient.CreateOptions(BLOCK, false, 1));
      try (Volume v = own.open("still")) {
        v.write(0, ByteBuffer.wrap(new byte[] {3})).get(60, TimeUnit.SECONDS);
        long session = raw.checkExists().forPath(node).getEphemeralOwner();
        expire(session);
        Stat now;
        do { // until the lease is taken again
          awaitWritten(v);
          now = raw.checkExists().forPath(node);
        } while (now == null || now.getEphemeralOwner() == session);
        awaitWritten(v);
      }
    }
  }

  /** Ends a client's session, as ZooKeeper does when it hears nothing. */
  private static void expire(long session) throws Exception {
    byte[] password = new byte[16];
    new Random(session ^ 0xB3415C00L).nextBytes(password); // as the server makes it
    CountDownLatch connected = new CountDownLatch(1);
    try (ZooKeeper same =
        new ZooKeeper(
            cluster.zookeeper(), 10_000, event -> connected.countDown(), session, password)) {
      assertThat(connected.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(same.getSessionId()).isEqualTo(session);
    }
  }

  private static void awaitWritten(Volume v) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (; ; ) {
      try {
        v.write(0, ByteBuffer.wrap(new byte[] {4})).get(60, TimeUnit.SECONDS);
        return;
      } catch (ExecutionException later) {
        Throwable why = later.getCause();
        assertThat(why instanceof SalusException.UnknownOutcome sent ? sent.reason() : why)
            .isInstanceOf(SalusException.Unavailable.class);
        assertThat(System.nanoTime()).isLessThan(end);
      }
    }
  }

  /** The first client must not go on, since it knows nothing of the other's writes. */
  @Test
  void aVolumeThatAnotherWriterHadMeanwhileIsNotMountedAgain() throws Exception {
    Volume v = make("had", 1, false);
    try (CuratorFramework raw = records()) {
      v.write(0, ByteBuffer.wrap(new byte[] {1})).get();
      raw.transaction()
          .forOperations(
              raw.transactionOp().delete().forPath("/salus/volumes/had/writer"),
              raw.transactionOp()
                  .setData()
                  .forPath(
                      "/salus/volumes/had/mountEpoch", "2".getBytes(StandardCharsets.US_ASCII)));
      assertThatThrownBy(
              () -> {
                for (; ; ) { // until it is noticed
                  v.write(0, ByteBuffer.wrap(new byte[] {2})).get(60, TimeUnit.SECONDS);
                }
              })
          .hasRootCauseInstanceOf(SalusException.Fenced.class);
      assertThatThrownBy(() -> v.read(0, ByteBuffer.allocate(1)).get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(SalusException.Fenced.class)
          .hasMessageContaining("another writer");
      v.close();
    }
  }

  @Test
  void aVolumeCanBeClosedOnItsOwnThreadAndAfterItsClient() throws Exception {
    SalusClient own = connect();
    own.create("closing", MIB, new SalusClient.CreateOptions(BLOCK, false, 1));
    Volume v = own.open("closing");
    v.flush().thenRun(v::close).get(60, TimeUnit.SECONDS);
    assertThatThrownBy(() -> v.flush().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(SalusException.Closed.class);
    own.close();
    assertThatThrownBy(() -> v.flush().get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(SalusException.Closed.class);
    v.close();
    assertThatThrownBy(() -> v.read(0, ByteBuffer.allocate(1).asReadOnlyBuffer()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** What a volume must hold, and how it came to that. Changes are called by one thread only. */
  private static final class Model {
    private record Change(int at, byte[] data) {}

    final byte[] content;
    private final List<Change> changes = new CopyOnWriteArrayList<>();

    Model(byte[] content) {
      this.content = content;
    }

    void change(int at, byte[] data) {
      System.arraycopy(data, 0, content, at, data.length);
      changes.add(new Change(at, data));
    }

    /**
     * Checks a read. Each block must be as every change called before the read left it, or as one
     * did that was called while it was under way.
     *
     * @param before the bytes at the call of the read, when there were {@code known} changes
     */
    void check(int offset, byte[] found, byte[] before, int known) {
      List<Change> meanwhile = changes.stream().skip(known).toList();
      for (int from = 0, to; from < found.length; from = to) {
        to = Math.min(found.length, from + BLOCK - (offset + from) % BLOCK);
        byte[] block = Arrays.copyOfRange(found, from, to);
        byte[] may = Arrays.copyOfRange(before, from, to);
        boolean fresh = Arrays.equals(block, may);
        for (Change c : meanwhile) {
          int begin = Math.max(c.at, offset + from);
          int length = Math.min(c.at + c.data.length, offset + to) - begin;
          if (!fresh && length > 0) {
            System.arraycopy(c.data, begin - c.at, may, begin - offset - from, length);
            fresh = Arrays.equals(block, may);
          }
        }
        assertThat(fresh).as("what is read at byte %d is fresh", offset + from).isTrue();
      }
    }
  }

  private static CompletableFuture<?> change(Volume v, Model model, Random random) {
    int length = 1 + random.nextInt(random.nextBoolean() ? 6_000 : 300_000);
    int offset = random.nextInt(model.content.length - length);
    byte[] data = new byte[length];
    boolean zero = random.nextInt(6) == 0;
    if (!zero) {
      random.nextBytes(data);
    }
    model.change(offset, data);
    return zero
        ? v.writeZeroes(offset, length, false)
        : v.write(offset, ByteBuffer.wrap(data), random.nextInt(20) == 0);
  }

  private static CompletableFuture<?> checkedRead(Volume v, Model model, Random random) {
    int length = 1 + random.nextInt(100_000);
    return checkedRead(v, model, random.nextInt(model.content.length - length), length);
  }

  /** Starts reads of neighbouring whole blocks, which go to the servers together. */
  private static List<CompletableFuture<?>> readsSideBySide(Volume v, Model model, Random random) {
    int count = 2 + random.nextInt(100);
    int from = random.nextInt(model.content.length / BLOCK - count);
    List<CompletableFuture<?>> reads = new ArrayList<>();
    for (int block = from; block < from + count; block++) {
      reads.add(checkedRead(v, model, block * BLOCK, BLOCK));
    }
    return reads;
  }

  private static CompletableFuture<?> checkedRead(Volume v, Model model, int offset, int length) {
    byte[] before = Arrays.copyOfRange(model.content, offset, offset + length);
    int known = model.changes.size();
    ByteBuffer into = ByteBuffer.allocate(length);
    return v.read(offset, into).thenRun(() -> model.check(offset, into.array(), before, known));
  }

  @Test
  void aSecondWriterIsToldWhoHasTheVolumeAndMayTakeIt() {
    try (Volume first = make("contested", 4, false);
        SalusClient other = connect()) {
      first.write(0, ByteBuffer.wrap(new byte[] {1})).join();
      assertThatThrownBy(() -> other.open("contested"))
          .isInstanceOfSatisfying(
              SalusException.Busy.class,
              busy ->
                  assertThat(busy.holder()).contains("process " + ProcessHandle.current().pid()));
      try (Volume second = other.open("contested", true)) {
        assertThatThrownBy(() -> first.write(0, ByteBuffer.wrap(new byte[] {2})).join())
            .isInstanceOf(CompletionException.class)
            .hasRootCauseInstanceOf(SalusException.Fenced.class);
        assertThat(read(second, 0, 1)).containsExactly(1);
      }
    }
  }

  @Test
  void aSyncedVolumeKeepsWhatItAcknowledged() {
    try (Volume v = make("synced", 4, true)) {
      byte[] data = new byte[100_000];
      new Random(3).nextBytes(data);
      v.write(5_000, ByteBuffer.wrap(data)).join();
      assertThat(read(v, 5_000, data.length)).isEqualTo(data);
      assertThat(client.info("synced").shape().synced()).isTrue();
    }
  }

  @Test
  void aChannelReadsWritesAndStopsAtTheEnd() throws Exception {
    try (Volume v = make("channel", 1, false);
        VolumeChannel c = new VolumeChannel(v)) {
      c.position(MIB - 3);
      assertThat(c.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}))).isEqualTo(3);
      assertThatThrownBy(() -> c.write(ByteBuffer.wrap(new byte[] {4})))
          .hasMessageContaining("end of the window of volume");
      c.position(MIB - 2);
      ByteBuffer into = ByteBuffer.allocate(10);
      assertThat(c.read(into)).isEqualTo(2);
      assertThat(c.read(into)).isEqualTo(-1);
      assertThat(Arrays.copyOf(into.array(), 2)).containsExactly(2, 3);
    }
  }

  @Test
  void badRequestsAreRefusedAtOnce() {
    try (Volume v = make("strict", 1, false)) {
      assertThatThrownBy(() -> v.read(MIB - 1, ByteBuffer.allocate(2)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("outside");
      assertThatThrownBy(() -> v.write(-1, ByteBuffer.allocate(2)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> v.writeZeroes(0, Long.MAX_VALUE, false))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> client.open("nothing")).isInstanceOf(SalusException.NotFound.class);
    assertThatThrownBy(() -> client.create("strict", MIB, SalusClient.CreateOptions.DEFAULT))
        .isInstanceOf(SalusException.AlreadyExists.class);
    assertThatThrownBy(() -> client.create("odd", 4097, SalusClient.CreateOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDeletedVolumeIsGoneWithItsFilesAndItsNameIsFree() throws Exception {
    try (Volume v = make("short-lived", 4, false)) {
      v.write(0, ByteBuffer.wrap(new byte[] {7})).join();
      assertThatThrownBy(() -> client.delete("short-lived", false))
          .isInstanceOf(SalusException.Busy.class);
    }
    client.delete("short-lived", false);
    assertThat(client.list()).doesNotContain("short-lived");
    org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/salus");
    try (org.apache.hadoop.fs.FileSystem fs =
        org.apache.hadoop.fs.FileSystem.newInstance(
            cluster.hdfs().nameNodeUri(), cluster.configuration())) {
      assertThat(fs.listStatus(root))
          .noneMatch(f -> f.getPath().getName().startsWith("short-lived-"));
    }
    try (Volume again = make("short-lived", 4, false)) {
      assertThat(read(again, 0, 1)).containsExactly(0);
    }
  }
}
