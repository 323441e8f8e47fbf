package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaReader;

@Tag("cluster")
class ReplicaGuardTest {
  private static final String PATH = "/salus/disk-1/0000/log-cut";
  private static final int LONG = 300 << 10;
  private static final int SHORT = 200 << 10;

  /** What each DataNode has. The tails of the last two are torn. */
  private static final int[] LENGTHS = {LONG, LONG + 7, SHORT + 7};

  private static final byte[] LOG = TestHdfs.log(1 << 20);
  private static final Signer SIGNER = new Signer("secret".getBytes(StandardCharsets.UTF_8));
  @TempDir Path dir;
  private TestHdfs t;
  private List<String> nodes;

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration();
    conf.set("salus.secret", "secret");
    t = new TestHdfs(dir, 4, conf);
    nodes = t.hints(0, 1, 2);
  }

  @AfterEach
  void stop() throws IOException {
    t.close();
  }

  private void write(byte[] log) throws Exception {
    BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    for (String node : nodes) {
      int i = nodes.indexOf(node);
      ReplicaWriter writer = t.writer(handle, handle.indexOf(node));
      TestHdfs.get(TestHdfs.append(writer, log, 0, LENGTHS[i], true));
    }
  }

  /** Says what each member has found valid. */
  private void tell(int epoch, int longest) throws IOException {
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    for (String node : nodes) {
      long valid = node.equals(nodes.get(2)) ? SHORT : longest;
      floor(node, SIGNER).tell(handle, epoch, valid);
    }
  }

  private ReplicaFloor floor(String node, Signer signer) {
    return new ReplicaFloor(node, t.files, t.hdfs.conf(), signer);
  }

  private Iterable<String> recover(Map<String, Long> valid) throws IOException {
    Goal goal = new Goal(LONG, nodes.get(0), valid, nodes);
    return t.equalize(PATH, goal);
  }

  private Map<String, Long> all(long first, long second, long third) {
    return Map.of(nodes.get(0), first, nodes.get(1), second, nodes.get(2), third);
  }

  private byte[] replica(int node) throws IOException {
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    return t.replica(handle, handle.indexOf(nodes.get(node)));
  }

  private static byte[] firstOfLog(int length) {
    return Arrays.copyOf(LOG, length);
  }

  @Test
  void nobodyCutsBelowWhatMembersFoundValidAndAnHonestRecoveryGoesOn() throws Exception {
    write(LOG);
    assertThat(recover(all(LONG, 0, SHORT)))
        .as("nobody has looked")
        .containsExactlyInAnyOrderElementsOf(nodes);
    tell(5, LONG);
    assertThat(recover(all(LONG, 0, 0)))
        .as("M0 names less than was found")
        .containsExactlyInAnyOrder(nodes.get(1), nodes.get(2));
    tell(4, 100);
    assertThat(recover(all(LONG, 100, SHORT)))
        .as("the word of an older epoch")
        .containsExactly(nodes.get(1));
    assertThat(Arrays.copyOf(replica(1), LONG)).isEqualTo(firstOfLog(LONG));
    assertThat(Arrays.copyOf(replica(2), SHORT)).isEqualTo(firstOfLog(SHORT));

    assertThat(recover(all(LONG, LONG, SHORT))).as("an honest recovery").isEmpty();
    for (int i = 0; i < 3; i++) {
      assertThat(replica(i)).isEqualTo(firstOfLog(LONG));
    }
    BlockHandle equal = t.files.locate(PATH).orElseThrow();
    t.files.complete(PATH, equal, LONG, TestHdfs.CERT);
  }

  @Test
  void aDataNodeThatHasStartedAgainCutsNothingUntilItsMemberHasLooked() throws Exception {
    write(LOG);
    tell(5, LONG);
    t.hdfs.stopDataNode(1);
    t.hdfs.startDataNode(1);
    assertThat(recover(all(LONG, LONG, SHORT))).containsExactly(nodes.get(1));
    tell(5, LONG);
    assertThat(recover(all(LONG, LONG, SHORT))).isEmpty();
    assertThat(replica(1)).isEqualTo(firstOfLog(LONG));
  }

  @Test
  void aReplicaBesideNoMemberIsCopiedFromThoughNobodySaysHowFarToCutIt() throws Exception {
    write(LOG);
    t.hdfs.stopDataNode(0);
    t.hdfs.stopDataNode(2);
    List<String> members = List.of(t.hints(3).get(0));
    Goal goal = new Goal(LONG, members.get(0), Map.of(members.get(0), 0L), members);
    assertThat(t.equalize(PATH, goal)).isEmpty();
    BlockHandle equal = t.files.locate(PATH).orElseThrow();
    assertThat(equal.dataNodes()).containsExactlyElementsOf(members);
    assertThat(t.replica(equal, 0)).isEqualTo(firstOfLog(LONG));
    t.files.complete(PATH, equal, LONG, TestHdfs.CERT);
  }

  @Test
  void onlyTheServerOfTheDataNodeNamesAFloor() throws Exception {
    write(LOG);
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    assertThatThrownBy(
            () ->
                floor(nodes.get(1), new Signer("other".getBytes(StandardCharsets.UTF_8)))
                    .tell(handle, 5, 0))
        .isInstanceOf(VolumeFileException.class)
        .hasMessageContaining("salus.secret");
    assertThat(recover(all(LONG, 0, SHORT))).containsExactlyInAnyOrderElementsOf(nodes);
  }

  @Test
  void otherFilesAreRecoveredAsEver() throws Exception {
    byte[] other = TestHdfs.bytes(1 << 20, 7);
    write(other);
    assertThat(recover(all(LONG, 0, 100))).isEmpty();
    assertThat(replica(1)).isEqualTo(Arrays.copyOf(other, LONG));
  }

  @Test
  void aMemberOnAnotherMachineReadsItsReplicaThoughItsDataNodeHasStartedAgain() throws Exception {
    write(LOG);
    t.hdfs.stopDataNode(1);
    t.hdfs.startDataNode(1);
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    DatanodeInfo restarted = t.files.liveDataNode(nodes.get(1));
    try (ReplicaReader replica =
        LocalReplicaReader.openRemote(handle, restarted, t.files, t.hdfs.conf()).orElseThrow()) {
      assertThat(replica.local()).isFalse();
      assertThat(TestHdfs.all(replica)).isEqualTo(firstOfLog(LENGTHS[1]));
    }
    DatanodeInfo without = t.files.liveDataNode(t.hints(3).get(0));
    assertThat(LocalReplicaReader.openRemote(handle, without, t.files, t.hdfs.conf())).isEmpty();
  }

  /** That is no failure of the network: Salus' own checks tell what is wrong of it. */
  @Test
  void aDamagedReplicaIsReadFromAnotherMachineAsItIs() throws Exception {
    write(LOG);
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    byte[] damaged = firstOfLog(LENGTHS[1]);
    damaged[1000] ^= 1;
    Path block;
    try (Stream<Path> all = Files.walk(dir.resolve("datanode1"))) {
      String name = "blk_" + handle.blockId();
      block = all.filter(f -> f.getFileName().toString().equals(name)).findFirst().orElseThrow();
    }
    try (FileChannel file = FileChannel.open(block, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(damaged, 1000, 1), 1000);
    }
    DatanodeInfo there = t.files.liveDataNode(nodes.get(1));
    try (ReplicaReader replica =
        LocalReplicaReader.openRemote(handle, there, t.files, t.hdfs.conf()).orElseThrow()) {
      assertThat(TestHdfs.all(replica)).isEqualTo(damaged);
    }
  }

  @Test
  void whoseReplicaCannotBeReadAsItHasSaidIsBehind() throws Exception {
    write(LOG);
    tell(1, LONG);
    Goal goal = new Goal(LONG, nodes.get(1), all(LONG, LONG, SHORT), nodes);
    assertThat(
            t.equalize(
                PATH,
                goal,
                replica -> {
                  throw new IOException("a connection breaks");
                }))
        .containsExactly(nodes.get(1));
  }

  /** HDFS' own readers go by its rules. */
  @Test
  void anOpenReplicaOfAnotherFileIsNotReadAfterARestart() throws Exception {
    write(new byte[1 << 20]);
    t.hdfs.stopDataNode(1);
    t.hdfs.startDataNode(1);
    BlockHandle handle = t.files.locate(PATH).orElseThrow();
    DatanodeInfo restarted = t.files.liveDataNode(nodes.get(1));
    assertThatThrownBy(
            () -> LocalReplicaReader.openRemote(handle, restarted, t.files, t.hdfs.conf()))
        .hasMessageContaining("since its start");
  }
}
