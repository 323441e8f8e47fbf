package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.hdfs.replica.ReplicaRecovery.Fenced;
import org.salus.datanode.hdfs.replica.ReplicaRecovery.ReplicaLength;

@Tag("cluster")
class RestartRecoveryTest {
  private static final byte[] DATA = TestHdfs.bytes(1 << 20, 6);
  private static final int[] LENGTHS = {100 << 10, (300 << 10) + 5, (200 << 10) + 77};
  private static final String PATH = "/salus/disk-1/0000/log-rwr";
  @TempDir Path dir;

  @Test
  void everyAckedByteSurvivesARestartOfTheWholeClusterWhileFilesAreOpen() throws Exception {
    List<String> nodes;
    String one;
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      nodes = t.hints(0, 1, 2);
      one = PATH + "-one";
      open(t, PATH, nodes);
      open(t, one, nodes);
    }
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      assertThat(t.hints(0, 1, 2)).isEqualTo(nodes);
      Fenced fenced = t.recovery.fenceAndMeasure(PATH, TestHdfs.CERT);
      for (int i = 0; i < 3; i++) {
        assertThat(fenced.replicas()).contains(new ReplicaLength(nodes.get(i), LENGTHS[i]));
        assertThat(t.replica(fenced.handle(), fenced.handle().indexOf(nodes.get(i))))
            .isEqualTo(Arrays.copyOf(DATA, LENGTHS[i]));
      }
      t.recover(PATH, LENGTHS[1], nodes.get(1));
      assertThreeCopies(t, PATH, LENGTHS[1]);
      BlockHandle closed = t.files.locate(PATH).orElseThrow();
      RemoteReplicaReader elsewhere =
          RemoteReplicaReader.of(closed, closed.indexOf(nodes.get(0)), t.hdfs.conf());
      t.hdfs.stopDataNode(0);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> elsewhere.read(ByteBuffer.allocate(100), 0))
            .as("read %d from a DataNode that is gone", i)
            .isInstanceOf(IOException.class);
      }
      Fenced two = t.recovery.fenceAndMeasure(one, TestHdfs.CERT);
      assertThat(two.replicas())
          .contains(new ReplicaLength(nodes.get(0), ReplicaLength.UNREACHABLE));
      t.recover(one, LENGTHS[2], nodes.get(1), nodes.subList(1, 3));
      t.hdfs.startDataNode(0);
      BlockHandle handle = t.files.locate(one).orElseThrow();
      assertThat(t.replica(handle, handle.indexOf(nodes.get(2))))
          .isEqualTo(Arrays.copyOf(DATA, LENGTHS[2]));
    }
  }

  @Test
  void recoveryEqualizesEveryMembersReplicaThoughTheNameNodeKnowsOnlyOne() throws Exception {
    List<String> nodes;
    try (TestHdfs t = new TestHdfs(dir, 4)) {
      nodes = t.hints(0, 1, 2);
      BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
      for (ReplicaWriter writer : t.writers(handle)) {
        TestHdfs.get(TestHdfs.append(writer, DATA, 0, LENGTHS[1], true));
      }
    }
    Configuration lateReports = new Configuration();
    lateReports.set("dfs.blockreport.intervalMsec", "864000000");
    lateReports.set("dfs.blockreport.initialDelay", "777600s");
    try (TestHdfs t = new TestHdfs(dir, 4, lateReports)) {
      report(t, 0);
      while (t.files.locate(PATH).orElseThrow().dataNodes().isEmpty()) {
        Thread.sleep(10);
      }
      assertThat(t.files.locate(PATH).orElseThrow().dataNodes())
          .as("what the NameNode knows")
          .containsExactly(nodes.get(0));
      List<String> members = t.hints(0, 1, 2, 3);
      Goal goal =
          new Goal(
              LENGTHS[1],
              nodes.get(0),
              members.stream()
                  .collect(
                      Collectors.toMap(d -> d, d -> nodes.contains(d) ? (long) LENGTHS[1] : 0L)),
              members);
      assertThat(t.equalize(PATH, goal)).isEmpty();
      BlockHandle open = t.files.locate(PATH).orElseThrow();
      assertThat(open.dataNodes()).containsExactlyInAnyOrderElementsOf(members);
      for (int i = 0; i < 4; i++) {
        assertThat(t.replica(open, i)).isEqualTo(Arrays.copyOf(DATA, LENGTHS[1]));
      }
      t.files.complete(PATH, open, LENGTHS[1], TestHdfs.CERT);
    }
  }

  @Test
  void recoveryWaitsForARequiredReplicaAndTakesBackOneThatWasLeftBehind() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      List<String> nodes = t.hints(0, 1, 2);
      open(t, PATH, nodes);
      t.hdfs.stopDataNode(2);
      Goal goal = new Goal(LENGTHS[0], nodes.get(0), Map.of(nodes.get(2), 0L), nodes);
      assertThat(t.equalize(PATH, goal)).containsExactly(nodes.get(2));
      BlockHandle open = t.files.locate(PATH).orElseThrow();
      assertThat(t.replica(open, open.indexOf(nodes.get(1))))
          .as("nothing is changed")
          .isEqualTo(Arrays.copyOf(DATA, LENGTHS[1]));
      Goal ofTwo = new Goal(LENGTHS[0], nodes.get(0), Map.of(), nodes.subList(0, 2));
      assertThat(t.equalize(PATH, ofTwo)).isEmpty();
      assertThat(t.files.locate(PATH).orElseThrow().dataNodes())
          .as("what is not left behind")
          .containsExactlyInAnyOrder(nodes.get(0), nodes.get(1));
      t.hdfs.startDataNode(2);
      assertThat(t.equalize(PATH, goal)).isEmpty();
      BlockHandle equal = t.files.locate(PATH).orElseThrow();
      t.files.complete(PATH, equal, LENGTHS[0], TestHdfs.CERT);
      assertThreeCopies(t, PATH, LENGTHS[0]);
    }
  }

  private static void report(TestHdfs t, int dataNode) throws IOException {
    DatanodeInfo info = t.files.liveDataNode(t.hdfs.dataNodeAddress(dataNode));
    BlockReportOptions whole = new BlockReportOptions.Factory().setIncremental(false).build();
    try {
      DataNodeRpc.client(info, t.hdfs.conf()).triggerBlockReport(whole);
    } catch (EOFException connectionOfTheOneBefore) {
      DataNodeRpc.client(info, t.hdfs.conf()).triggerBlockReport(whole);
    }
  }

  @Test
  void aWriterTellsThatItsDataNodeIsGoneThoughNothingIsOutstanding() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      List<String> nodes = t.hints(0, 1, 2);
      BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
      List<CompletableFuture<ReplicaFailure>> failed = new ArrayList<>();
      List<ReplicaWriter> writers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        CompletableFuture<ReplicaFailure> told = new CompletableFuture<>();
        ReplicaWriter writer = t.writer(handle, handle.indexOf(nodes.get(i)));
        writer.whenFailed(told::complete);
        TestHdfs.get(TestHdfs.append(writer, DATA, 0, LENGTHS[i], true));
        writers.add(writer);
        failed.add(told);
      }
      t.hdfs.stopDataNode(0);
      assertThat(TestHdfs.get(failed.get(0)).kind()).isEqualTo(ReplicaFailure.Kind.CONNECTION);
      CompletableFuture<ReplicaFailure> late = new CompletableFuture<>();
      writers.get(0).whenFailed(late::complete);
      assertThat(TestHdfs.get(late).kind())
          .as("who asks later")
          .isEqualTo(ReplicaFailure.Kind.CONNECTION);
      writers.get(1).close();
      CompletableFuture<Long> closed = TestHdfs.append(writers.get(1), DATA, 0, LENGTHS[1], true);
      assertThatThrownBy(() -> TestHdfs.get(closed))
          .hasCauseInstanceOf(ReplicaFailureException.class);
      assertThat(failed.get(1)).as("a writer that is closed").isNotDone();
    }
  }

  @Test
  void aWriterIsClosedWhenWhatItHasSentIsAcknowledgedOrCannotBe() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      BlockHandle handle =
          t.files.createBlock(PATH, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      ReplicaWriter writer = t.writer(handle, 0);
      List<CompletableFuture<Long>> appends = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        appends.add(TestHdfs.append(writer, DATA, 0, LENGTHS[0], true));
      }
      writer.awaitAcks(TimeUnit.MINUTES.toNanos(1));
      assertThat(appends).allMatch(CompletableFuture::isDone);
      t.hdfs.stopDataNode(
          Integer.parseInt(handle.dataNodes().get(0).replaceAll(".*\\.1(\\d):.*", "$1")) - 1);
      CompletableFuture<Long> late = TestHdfs.append(writer, DATA, 0, LENGTHS[0], true);
      writer.awaitAcks(TimeUnit.MINUTES.toNanos(1));
      assertThat(late.handle((acked, error) -> error))
          .isCompletedWithValueMatching(error -> error != null);
      writer.close();
    }
  }

  private static void open(TestHdfs t, String path, List<String> nodes) throws Exception {
    BlockHandle handle = t.files.createBlock(path, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    List<ReplicaWriter> writers = t.writers(handle);
    for (int i = 0; i < 3; i++) {
      TestHdfs.get(TestHdfs.append(writers.get(i), DATA, 0, LENGTHS[i], false));
    }
  }

  private static void assertThreeCopies(TestHdfs t, String path, int length) throws Exception {
    BlockHandle handle = t.files.locate(path).orElseThrow();
    assertThat(handle.open()).isFalse();
    assertThat(handle.dataNodes()).hasSize(3);
    for (int i = 0; i < 3; i++) {
      assertThat(t.replica(handle, i)).isEqualTo(Arrays.copyOf(DATA, length));
    }
  }
}
