package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;

/** The members of an epoch without a holder stop the writers of what they read (§4.2.2). */
@Tag("cluster")
class ReplicaFenceTest {
  private static final String PATH = "/salus/disk-1/0000/log-fence";
  private static final RegionId REGION = new RegionId(1, 0);
  private static final int CREATED = 4;
  private static final Signer MASTER = new Signer("secret".getBytes(StandardCharsets.UTF_8));
  @TempDir Path dir;
  private TestHdfs t;
  private List<String> nodes;
  private BlockHandle handle;

  /** The epoch whose members have their replicas on the two DataNodes. */
  private EpochLink served;

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  /** The first record of the segment. */
  private static byte[] head() {
    return new LogRecord(LogRecord.Type.MANIFEST, REGION, CREATED, new Position(9, 0), new byte[0])
        .header();
  }

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration();
    conf.set("salus.secret", "secret");
    t = new TestHdfs(dir, 2, conf);
    nodes = t.hints(0, 1);
    served = EpochLink.first(REGION, CREATED, holders(), holders(), MASTER);
    handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
  }

  @AfterEach
  void stop() throws IOException {
    t.close();
  }

  private List<Member> holders() {
    return List.of(new Member("a", 1, nodes.get(0)), new Member("b", 1, nodes.get(1)));
  }

  private void fence(String node, EpochLink link) throws IOException {
    new ReplicaFloor(node, t.files, t.hdfs.conf(), MASTER).fence(handle, link, "c");
  }

  private static void append(ReplicaWriter writer) throws Exception {
    byte[] head = head();
    TestHdfs.get(TestHdfs.append(writer, head, 0, head.length, false));
  }

  @Test
  void whoWritesAReplicaIsStoppedAndNobodyElseBeginsTo() throws Exception {
    ReplicaWriter stopped = t.writer(handle, 0);
    append(stopped);
    EpochLink rebuilds = served.next(6, members("c", "d"), MASTER);
    for (String node : nodes) {
      fence(node, rebuilds);
    }
    assertThatThrownBy(() -> append(stopped)).isInstanceOf(ExecutionException.class);
    ReplicaWriter late = t.writer(handle, 1);
    assertThatThrownBy(() -> append(late))
        .as("it had not begun before")
        .isInstanceOf(ExecutionException.class);
    assertThat(t.replica(handle, 0)).as("what was acknowledged").startsWith(head());
  }

  @Test
  void aWriterGoesOnWhateverElseIsSaid() throws Exception {
    ReplicaWriter writer = t.writer(handle, 0);
    append(writer);
    Signer stranger = new Signer("other".getBytes(StandardCharsets.UTF_8));
    EpochLink old =
        EpochLink.first(REGION, 2, holders(), holders(), MASTER)
            .next(CREATED, members("c"), MASTER);
    for (EpochLink refused :
        List.of(
            served,
            served.next(6, List.of(holders().get(0), new Member("c", 1, "c:9866")), MASTER),
            served.next(6, members("c"), stranger),
            old)) {
      assertThatThrownBy(() -> fence(nodes.get(0), refused))
          .isInstanceOf(VolumeFileException.class)
          .hasMessageContaining("it is not one that");
    }
    append(writer);
  }
}
