package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.BlockLocalPathInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.recovery.Goal;
import org.salus.datanode.ReplicaFailureException;
import org.salus.datanode.hdfs.netty.PacketStream;

/** A wrong server asks DataNodes to give replicas of a volume's files new stamps. */
@Tag("cluster")
class RaisedStampsTest {
  private static final String PATH = "/salus/disk-1/0000/log-raise";
  private static final int LENGTH = 8 * 512;
  private static final int EPOCH = 5;
  private static final byte[] LOG = TestHdfs.log(LENGTH);
  private static final Signer SIGNER = new Signer("secret".getBytes(StandardCharsets.UTF_8));

  /** What a server may ask a DataNode for with a new stamp, other than a recovery. */
  private static final List<BlockConstructionStage> STAGES =
      List.of(
          BlockConstructionStage.PIPELINE_SETUP_APPEND,
          BlockConstructionStage.PIPELINE_SETUP_APPEND_RECOVERY,
          BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
          BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
          BlockConstructionStage.PIPELINE_SETUP_CREATE,
          BlockConstructionStage.TRANSFER_RBW,
          BlockConstructionStage.TRANSFER_FINALIZED);

  @TempDir Path dir;
  private TestHdfs t;
  private List<String> nodes;
  private long stamp;

  @BeforeEach
  void start() throws Exception {
    Configuration conf = new Configuration();
    conf.set("salus.secret", "secret");
    t = new TestHdfs(dir, 3, conf);
    nodes = t.hints(0, 1, 2);
  }

  @AfterEach
  void stop() throws IOException {
    t.close();
  }

  private List<ReplicaWriter> write(byte[] content) throws Exception {
    BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    List<ReplicaWriter> writers = t.writers(handle);
    for (ReplicaWriter writer : writers) {
      TestHdfs.get(TestHdfs.append(writer, content, 0, LENGTH, true));
    }
    stamp = handle.located().getBlock().getGenerationStamp();
    return writers;
  }

  /** A file that is finished, as a segment is once the next one is written. */
  private void finish(byte[] content) throws Exception {
    for (ReplicaWriter writer : write(content)) {
      TestHdfs.get(writer.finish(true));
    }
    t.files.complete(PATH, handle(), LENGTH, TestHdfs.CERT);
  }

  private BlockHandle handle() throws IOException {
    return t.files.locate(PATH).orElseThrow();
  }

  private ReplicaFloor floor(String node) {
    return new ReplicaFloor(node, t.files, t.hdfs.conf(), SIGNER);
  }

  private void tell(int epoch) throws IOException {
    for (String node : nodes) {
      floor(node).tell(handle(), epoch, LENGTH);
    }
  }

  private Iterable<String> recover() throws IOException {
    Map<String, Long> valid = Map.of(nodes.get(0), 4096L, nodes.get(1), 4096L, nodes.get(2), 4096L);
    Goal goal = new Goal(LENGTH, nodes.get(0), valid, nodes);
    return t.equalize(PATH, goal);
  }

  /** A stamp that the NameNode has given out, as anybody gets one. */
  private long newStamp() throws IOException {
    BlockHandle other =
        t.files.createBlock(
            "/free/" + System.nanoTime(), TestHdfs.BLOCK, t.hints(0), TestHdfs.CERT);
    return other.located().getBlock().getGenerationStamp();
  }

  /** The stamp of a replica, as its file of checksums is named. */
  private long stampAt(String node) throws IOException {
    ExtendedBlock block = new ExtendedBlock(handle().located().getBlock());
    block.setGenerationStamp(ReplicaRecovery.ANY_STAMP);
    DatanodeInfo info = t.files.dataNode(handle(), node);
    BlockLocalPathInfo paths =
        DataNodeRpc.shared(info, t.hdfs.conf())
            .getBlockLocalPathInfo(block, handle().located().getBlockToken());
    return Long.parseLong(paths.getMetaPath().replaceAll(".*_(\\d+)\\.meta", "$1"));
  }

  private void recoverAt(String node, long with) throws IOException {
    DatanodeInfo info = t.files.dataNode(handle(), node);
    ExtendedBlock block = handle().blockOfLength(LENGTH);
    InterDatanodeProtocol proxy = DataNodeRpc.recovery(info, t.hdfs.conf());
    try {
      DatanodeInfo[] all = handle().located().getLocations();
      Repeatable.call(() -> proxy.initReplicaRecovery(new RecoveringBlock(block, all, with)));
      proxy.updateReplicaUnderRecovery(block, with, block.getBlockId(), LENGTH);
    } finally {
      RPC.stopProxy(proxy);
    }
  }

  private void open(String node, BlockConstructionStage stage, long with) throws IOException {
    BlockHandle handle = handle();
    int index = handle.indexOf(node);
    ExtendedBlock block = handle.blockOfLength(LENGTH);
    boolean isTransfer =
        stage == BlockConstructionStage.TRANSFER_RBW
            || stage == BlockConstructionStage.TRANSFER_FINALIZED;
    if (isTransfer) {
      block.setGenerationStamp(with);
    }
    PacketStream.Setup setup =
        new PacketStream.Setup(
            block,
            handle.located().getBlockToken(),
            handle.located().getLocations()[index],
            handle.located().getStorageTypes()[index],
            handle.located().getStorageIDs()[index],
            "outsider",
            stage,
            LENGTH,
            with);
    ReplicaWriter writer = t.writer(setup, LENGTH);
    assertThatThrownBy(() -> TestHdfs.get(TestHdfs.append(writer, LOG, 0, 512, true)))
        .as("%s", stage)
        .hasCauseInstanceOf(ReplicaFailureException.class);
    writer.close();
  }

  /** Tries everything with a stamp that was given out. Nothing of it changes the replica. */
  private void assertKeeps(String node, long expected) throws IOException {
    long with = newStamp();
    assertThatThrownBy(() -> recoverAt(node, with))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("keeps its stamp: its member has asked for no recovery");
    for (BlockConstructionStage stage : STAGES) {
      open(node, stage, with);
      assertThat(stampAt(node)).as("after %s", stage).isEqualTo(expected);
    }
    assertThat(t.replica(handle(), handle().indexOf(node))).isEqualTo(LOG);
  }

  @Test
  void nobodyRaisesTheStampOfASegmentThatIsBeingWrittenNorStopsItsWriters() throws Exception {
    List<ReplicaWriter> writers = write(LOG);
    assertKeeps(nodes.get(1), stamp);
    TestHdfs.get(writers.get(1).finish(true));
  }

  @Test
  void nobodyRaisesTheStampOfAFinishedSegmentNorAfterItsDataNodesRestart() throws Exception {
    finish(LOG);
    assertKeeps(nodes.get(1), stamp);
    t.hdfs.stopDataNode(1);
    t.hdfs.startDataNode(1);
    assertKeeps(nodes.get(1), stamp);
  }

  @Test
  void nobodyRaisesTheStampOfACheckpoint() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new CheckpointWriter(out::write);
    byte[] checkpoint = Arrays.copyOf(out.toByteArray(), LENGTH);
    finish(checkpoint);
    assertThatThrownBy(() -> recoverAt(nodes.get(0), newStamp()))
        .hasMessageContaining("keeps its stamp");
    assertThat(stampAt(nodes.get(0))).isEqualTo(stamp);
  }

  @Test
  void aRecoveryIsAllowedFromTheMembersFirstWordToItsLast() throws Exception {
    write(LOG);
    assertThat(recover()).as("nobody has looked").containsExactlyInAnyOrderElementsOf(nodes);
    tell(EPOCH);
    assertThat(recover()).isEmpty();
    assertThat(recover()).as("again in the same epoch").isEmpty();
    long equal = handle().located().getBlock().getGenerationStamp();
    for (String node : nodes) {
      floor(node).keepStamp(handle(), EPOCH, LENGTH, stampAt(node));
    }
    assertThat(recover()).as("all are equal").containsExactlyInAnyOrderElementsOf(nodes);
    for (String node : nodes) {
      assertKeeps(node, equal);
    }
    tell(EPOCH);
    assertThat(recover()).as("a late word").containsExactlyInAnyOrderElementsOf(nodes);
    tell(EPOCH + 1);
    assertThat(recover()).as("in the next epoch").isEmpty();
  }

  @Test
  void aMemberDoesNotKeepAStampThatItsReplicaHasNoMore() throws Exception {
    write(LOG);
    tell(EPOCH);
    assertThat(recover()).isEmpty();
    long seen = stampAt(nodes.get(2));
    recoverAt(nodes.get(2), newStamp());
    assertThatThrownBy(() -> floor(nodes.get(2)).keepStamp(handle(), EPOCH, LENGTH, seen))
        .hasMessageContaining("is not finished under stamp");
    assertThat(recover()).as("once more").isEmpty();
    floor(nodes.get(2)).keepStamp(handle(), EPOCH, LENGTH, stampAt(nodes.get(2)));
  }

  @Test
  void noReplicaGetsAnInventedStampThoughARecoveryIsUnderWay() throws Exception {
    write(LOG);
    tell(EPOCH);
    for (long invented : new long[] {newStamp() + 1, Long.MAX_VALUE - 1}) {
      assertThatThrownBy(() -> recoverAt(nodes.get(0), invented))
          .hasMessageContaining("the NameNode has not given out stamp " + invented);
    }
    assertThat(stampAt(nodes.get(0))).isEqualTo(stamp);
    assertThat(recover()).isEmpty();
  }

  @Test
  void aDataNodeMayHaveNoReplicaYetWhenItsMemberSpeaks() throws Exception {
    BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    for (int i = 0; i < 2; i++) {
      ReplicaWriter writer = t.writer(handle, handle.indexOf(nodes.get(i)));
      TestHdfs.get(TestHdfs.append(writer, LOG, 0, LENGTH, true));
    }
    tell(EPOCH);
    assertThat(recover()).isEmpty();
    assertThat(recover()).as("again, with the new replica").isEmpty();
    assertThat(t.replica(handle(), handle().indexOf(nodes.get(2)))).isEqualTo(LOG);
  }

  /** HDFS copies what it recovers to another block if it is asked to, whatever is there. */
  @Test
  void noRecoveryOfAnotherBlockIsCopiedInThePlaceOfAReplica() throws Exception {
    finish(LOG);
    BlockHandle target = handle();
    BlockHandle other = t.files.createBlock("/free/1", TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    byte[] content = TestHdfs.bytes(2 * LENGTH, 9);
    for (ReplicaWriter writer : t.writers(other)) {
      TestHdfs.get(TestHdfs.append(writer, content, 0, content.length, true));
      TestHdfs.get(writer.finish(true));
    }
    t.files.complete("/free/1", other, content.length, TestHdfs.CERT);
    BlockHandle finished = t.files.locate("/free/1").orElseThrow();
    DatanodeInfo info = t.files.dataNode(finished, nodes.get(0));
    ExtendedBlock block = finished.blockOfLength(content.length);
    long with = newStamp();
    InterDatanodeProtocol proxy = DataNodeRpc.recovery(info, t.hdfs.conf());
    try {
      DatanodeInfo[] all = finished.located().getLocations();
      proxy.initReplicaRecovery(new RecoveringBlock(block, all, with));
      assertThatThrownBy(
              () ->
                  proxy.updateReplicaUnderRecovery(
                      block, with, target.located().getBlock().getBlockId(), LENGTH))
          .hasMessageContaining("makes no copy of it in the place of block");
    } finally {
      RPC.stopProxy(proxy);
    }
    assertThat(t.replica(target, target.indexOf(nodes.get(0)))).isEqualTo(LOG);
  }

  /** What a member says of a replica that never comes does not hold for a later copy of HDFS. */
  @Test
  void aCopyThatHdfsMakesLaterKeepsItsStamp() throws Exception {
    nodes = t.hints(0, 1);
    BlockHandle two = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    List<String> having = two.dataNodes();
    List<ReplicaWriter> writers = t.writers(two);
    for (ReplicaWriter writer : writers) {
      TestHdfs.get(TestHdfs.append(writer, LOG, 0, LENGTH, true));
    }
    for (String node : t.hints(0, 1, 2)) {
      floor(node).tell(handle(), EPOCH, having.contains(node) ? LENGTH : 0);
    }
    for (ReplicaWriter writer : writers) {
      TestHdfs.get(writer.finish(true));
    }
    t.files.complete(PATH, handle(), LENGTH, TestHdfs.CERT);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (handle().dataNodes().size() < 3) {
      assertThat(System.nanoTime()).as("HDFS makes a third replica").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    String third =
        handle().dataNodes().stream().filter(n -> !having.contains(n)).findFirst().orElseThrow();
    stamp = handle().located().getBlock().getGenerationStamp();
    assertKeeps(third, stamp);
  }

  @Test
  void otherFilesGetNewStampsAsEver() throws Exception {
    write(TestHdfs.bytes(LENGTH, 7));
    recoverAt(nodes.get(0), newStamp());
    assertThat(stampAt(nodes.get(0))).isGreaterThan(stamp);
  }
}
