package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.ReplicaRecovery.Fenced;
import org.salus.datanode.hdfs.replica.ReplicaRecovery.ReplicaLength;

@Tag("cluster")
class ActiveStorageTest {
  private static final String DIR = "/salus/disk-1/0000/";
  private static final byte[] DATA = TestHdfs.bytes(1 << 20, 5);
  private static final int[] LENGTHS = {100 << 10, (200 << 10) + 77, (300 << 10) + 5};
  @TempDir static Path dir;
  static TestHdfs t;

  @BeforeAll
  static void start() throws Exception {
    t = new TestHdfs(dir, 4);
  }

  @AfterAll
  static void stop() throws Exception {
    t.close();
  }

  private static BlockHandle create(String name) throws Exception {
    return t.files.createBlock(DIR + name, TestHdfs.BLOCK, t.hints(2, 0, 3), TestHdfs.CERT);
  }

  private static BlockHandle withThreeLengths(String name, List<ReplicaWriter> writers)
      throws Exception {
    BlockHandle handle = create(name);
    writers.addAll(t.writers(handle));
    for (int i = 0; i < 3; i++) {
      TestHdfs.get(TestHdfs.append(writers.get(i), DATA, 0, LENGTHS[i], false));
    }
    return handle;
  }

  private static void assertClosedWith(String path, byte[] content) throws Exception {
    BlockHandle handle = t.files.locate(path).orElseThrow();
    while (handle.dataNodes().size() < 3) { // one DataNode's report is enough to close the file
      TimeUnit.MILLISECONDS.sleep(10);
      handle = t.files.locate(path).orElseThrow();
    }
    assertThat(handle.open()).isFalse();
    assertThat(handle.length()).isEqualTo(content.length);
    for (int i = 0; i < 3; i++) {
      assertThat(t.replica(handle, i)).as("replica %d", i).isEqualTo(content);
      assertThat(TestHdfs.all(RemoteReplicaReader.of(handle, i, t.hdfs.conf()))).isEqualTo(content);
    }
  }

  @Test
  void threeWritersMakeThreeEqualReplicasOfRandomAppends() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    BlockHandle handle = BlockHandle.fromBytes(create("log-1").toBytes());
    assertThat(handle.dataNodes()).isEqualTo(t.hints(2, 0, 3));
    List<CompletableFuture<Long>> ends = new ArrayList<>();
    for (ReplicaWriter writer : t.writers(handle)) {
      Random random = new Random(seed);
      for (int at = 0; at < DATA.length; ) {
        int n = Math.min(DATA.length - at, random.nextInt(random.nextBoolean() ? 2000 : 200_000));
        int end = at + n;
        ends.add(
            TestHdfs.append(writer, DATA, at, n, random.nextInt(5) == 0)
                .thenApply(
                    l -> {
                      assertThat(l).isEqualTo(end);
                      return l;
                    }));
        at += n;
      }
      ends.add(writer.finish(true));
    }
    for (CompletableFuture<Long> end : ends) {
      TestHdfs.get(end);
    }
    t.files.complete(handle.path(), handle, DATA.length, TestHdfs.CERT);
    t.files.complete(handle.path(), handle, DATA.length, TestHdfs.CERT);
    assertClosedWith(handle.path(), DATA);
    assertThat(t.files.list(DIR)).contains(new VolumeFiles.FileEntry("log-1", DATA.length, false));
    assertThat(t.files.delete(handle.path(), TestHdfs.CERT)).isTrue();
    assertThat(t.files.locate(handle.path())).isEmpty();
  }

  @Test
  void anIdleWriterStaysConnectedForLongerThanASilentDataNodeMayTake() throws Exception {
    BlockHandle handle = create("log-idle");
    try (ReplicaWriter writer = t.writer(handle, 0)) {
      TestHdfs.get(TestHdfs.append(writer, DATA, 0, 1000, true));
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(12);
      while (System.nanoTime() < end) {
        LockSupport.parkNanos(end - System.nanoTime());
      }
      assertThat(TestHdfs.get(TestHdfs.append(writer, DATA, 1000, 1000, true))).isEqualTo(2000);
    }
  }

  @Test
  void openReplicaIsReadFromItsFileWhileItIsWritten() throws Exception {
    BlockHandle handle = create("log-read");
    ReplicaWriter writer = t.writer(handle, 1);
    TestHdfs.get(TestHdfs.append(writer, DATA, 0, 1000, true));
    try (ReplicaReader reader = LocalReplicaReader.open(handle, 1, t.hdfs.conf())) {
      assertThat(reader.local()).isTrue();
      assertThat(reader.length()).isEqualTo(1000);
      TestHdfs.get(TestHdfs.append(writer, DATA, 1000, 3000, false));
      assertThat(TestHdfs.all(reader)).isEqualTo(Arrays.copyOf(DATA, 4000));
    }
    assertThat(TestHdfs.all(RemoteReplicaReader.of(handle, 1, t.hdfs.conf())))
        .isEqualTo(Arrays.copyOf(DATA, 4000));
    writer.close();
  }

  @Test
  void openReplicaIsReadFromElsewhereInAnyOrderWhileItIsWritten() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    BlockHandle handle = create("log-elsewhere");
    ReplicaWriter writer = t.writer(handle, 1);
    ReplicaReader reader = RemoteReplicaReader.of(handle, 1, t.hdfs.conf());
    for (int length = 0, at = 0; length < DATA.length; ) {
      int more = Math.min(1 + random.nextInt(DATA.length / 4), DATA.length - length);
      TestHdfs.get(TestHdfs.append(writer, DATA, length, more, false));
      length += more;
      for (int i = 0; i < 20; i++) {
        at = random.nextInt(4) == 0 ? random.nextInt(length) : at;
        ByteBuffer some = ByteBuffer.allocate(random.nextInt(2_000));
        int wanted = Math.min(some.remaining(), length - at);
        assertThat(reader.read(some, at))
            .isEqualTo(wanted == 0 && some.hasRemaining() ? -1 : wanted);
        assertThat(Arrays.copyOf(some.array(), wanted))
            .isEqualTo(Arrays.copyOfRange(DATA, at, at + wanted));
        at += wanted;
      }
    }
    writer.close();
  }

  @Test
  void recoveryOfThreeDifferentLengthsKeepsWhatOnlyTheLongestHas() throws Exception {
    List<ReplicaWriter> writers = new ArrayList<>();
    BlockHandle handle = withThreeLengths("log-rbw", writers);
    Fenced fenced = t.recovery.fenceAndMeasure(handle.path(), TestHdfs.CERT);
    for (int i = 0; i < 3; i++) {
      assertThat(fenced.replicas())
          .contains(new ReplicaLength(handle.dataNodes().get(i), LENGTHS[i]));
      byte[] content =
          t.replica(fenced.handle(), fenced.handle().indexOf(handle.dataNodes().get(i)));
      assertThat(content).isEqualTo(Arrays.copyOf(DATA, LENGTHS[i]));
      ReplicaWriter writer = writers.get(i);
      int at = LENGTHS[i];
      assertThatThrownBy(() -> TestHdfs.get(TestHdfs.append(writer, DATA, at, 10, false)))
          .hasCauseInstanceOf(ReplicaFailureException.class);
    }
    t.recover(handle.path(), LENGTHS[2], handle.dataNodes().get(2));
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, LENGTHS[2]));
    t.recover(handle.path(), LENGTHS[2], handle.dataNodes().get(2));
    assertThatThrownBy(() -> t.recover(handle.path(), 5, handle.dataNodes().get(2)))
        .isInstanceOf(VolumeFileException.class);
  }

  @Test
  void recoveryCutsLongerReplicasCreatesAbsentOnesAndNeedsNoMeasurement() throws Exception {
    BlockHandle handle = create("log-cut");
    List<ReplicaWriter> writers = List.of(t.writer(handle, 0), t.writer(handle, 1));
    TestHdfs.get(TestHdfs.append(writers.get(0), DATA, 0, 5000, false));
    TestHdfs.get(TestHdfs.append(writers.get(1), DATA, 0, 3333, false));
    t.recover(handle.path(), 4001, handle.dataNodes().get(0));
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, 4001));
  }

  @Test
  void whatWasMadeTooLongCanBeCutWhileTheFileIsOpen() throws Exception {
    List<ReplicaWriter> writers = new ArrayList<>();
    BlockHandle handle = withThreeLengths("log-cut-again", writers);
    t.recovery.equalize(
        handle.path(),
        TestHdfs.CERT,
        TestHdfs.goal(handle, LENGTHS[2], handle.dataNodes().get(2), Map.of()),
        replica -> true);
    t.recover(handle.path(), LENGTHS[0], handle.dataNodes().get(0));
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, LENGTHS[0]));
  }

  @Test
  void whatIsSaidToBeDamagedIsMadeAnewAndOnlyWhenTheWholeLogWasSeen() throws Exception {
    BlockHandle handle = create("log-damaged");
    byte[] damaged = DATA.clone();
    Arrays.fill(damaged, 1000, 2000, (byte) 0);
    for (int i = 0; i < 3; i++) {
      TestHdfs.get(TestHdfs.append(t.writer(handle, i), i == 2 ? DATA : damaged, 0, 5000, false));
    }
    String whole = handle.dataNodes().get(2);
    Map<String, Long> ends =
        Map.of(handle.dataNodes().get(0), 0L, handle.dataNodes().get(1), 1000L, whole, 4000L);
    assertThatThrownBy(
            () ->
                t.recovery.equalize(
                    handle.path(),
                    TestHdfs.CERT,
                    TestHdfs.goal(handle, 4000, whole, ends),
                    replica -> false))
        .isInstanceOf(VolumeFileException.class);
    BlockHandle refused = t.files.locate(handle.path()).orElseThrow();
    for (int i = 0; i < 2; i++) {
      assertThat(t.replica(refused, refused.indexOf(handle.dataNodes().get(i))))
          .startsWith(Arrays.copyOf(damaged, 4000));
    }
    t.recovery.equalize(
        handle.path(), TestHdfs.CERT, TestHdfs.goal(handle, 4000, whole, ends), replica -> true);
    t.recover(handle.path(), 4000, whole);
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, 4000));
  }

  @Test
  void recoveryWorksAgainAfterItWasCutOffBetweenFencingAndTruncation() throws Exception {
    List<ReplicaWriter> writers = new ArrayList<>();
    BlockHandle handle = withThreeLengths("log-again", writers);
    for (int i = 0; i < 3; i++) {
      t.recovery.fenceAndMeasure(handle.path(), TestHdfs.CERT);
    }
    t.recover(handle.path(), LENGTHS[1], handle.dataNodes().get(2));
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, LENGTHS[1]));
  }

  @Test
  void aReplicaThatIsNotWhatItsHolderSaidIsNotGivenToTheOthers() throws Exception {
    List<ReplicaWriter> writers = new ArrayList<>();
    BlockHandle handle = withThreeLengths("log-refuted", writers);
    List<byte[]> seen = new ArrayList<>();
    String holder = handle.dataNodes().get(2);
    long claimed = LENGTHS[2];
    assertThatThrownBy(
            () ->
                t.recovery.equalize(
                    handle.path(),
                    TestHdfs.CERT,
                    TestHdfs.goal(handle, claimed, holder, Map.of(holder, claimed)),
                    replica -> {
                      seen.add(TestHdfs.all(replica));
                      return false;
                    }))
        .isInstanceOfSatisfying(
            VolumeFileException.class,
            e -> assertThat(e.kind()).isEqualTo(VolumeFileException.Kind.LENGTH));
    assertThat(seen).containsExactly(Arrays.copyOf(DATA, LENGTHS[2]));
    assertThat(t.files.locate(handle.path()).orElseThrow().open()).isTrue();
    t.recover(handle.path(), LENGTHS[1], handle.dataNodes().get(1));
    assertClosedWith(handle.path(), Arrays.copyOf(DATA, LENGTHS[1]));
  }

  @Test
  void fileWithoutAnyByteRecoversToAnEmptyFile() throws Exception {
    BlockHandle handle = create("log-empty");
    t.recover(handle.path(), 0, handle.dataNodes().get(0));
    assertThat(t.files.list(DIR)).contains(new VolumeFiles.FileEntry("log-empty", 0, false));
  }

  @Test
  void unknownHintIsATypedErrorAndTheFileCanBeTriedAgain() throws Exception {
    List<String> wrong = List.of(t.hints(0).get(0), t.hints(1).get(0), "127.0.0.99:1");
    assertThatThrownBy(
            () -> t.files.createBlock(DIR + "log-hint", TestHdfs.BLOCK, wrong, TestHdfs.CERT))
        .isInstanceOfSatisfying(
            VolumeFileException.class,
            e -> assertThat(e.kind()).isEqualTo(VolumeFileException.Kind.LOCATIONS));
    BlockHandle handle = create("log-hint");
    assertThat(handle.dataNodes()).isEqualTo(t.hints(2, 0, 3));
    assertThatThrownBy(() -> create("log-hint")).isInstanceOf(VolumeFileException.class);
  }

  @Test
  void secondWriterOfTheSameReplicaIsRefused() throws Exception {
    BlockHandle handle = create("log-second");
    ReplicaWriter first = t.writer(handle, 0);
    TestHdfs.get(TestHdfs.append(first, DATA, 0, 10, false));
    ReplicaWriter second = t.writer(handle, 0);
    assertThatThrownBy(() -> TestHdfs.get(TestHdfs.append(second, DATA, 0, 10, false)))
        .cause()
        .isInstanceOfSatisfying(
            ReplicaFailureException.class,
            e -> assertThat(e.failure().kind()).isEqualTo(ReplicaFailure.Kind.REFUSED));
    first.close();
  }
}
