package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.NodeType;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.protocol.BlockRecoveryCommand.RecoveringBlock;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo.BlockStatus;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.path.FilePath;
import org.salus.core.recovery.Goal;

/** A wrong M0 tells the NameNode which replicas have a new stamp. */
@Tag("cluster")
class StampsTest {
  private static final String PATH = "/salus/disk-1/0000/log-stamps";
  private static final byte[] DATA = TestHdfs.bytes(100_000, 9);
  @TempDir Path dir;

  private static void write(TestHdfs t, List<String> nodes) throws Exception {
    BlockHandle handle = t.files.createBlock(PATH, TestHdfs.BLOCK, nodes, TestHdfs.CERT);
    for (ReplicaWriter writer : t.writers(handle)) {
      TestHdfs.get(TestHdfs.append(writer, DATA, 0, DATA.length, true));
    }
  }

  private static LocatedBlock newStamp(TestHdfs t, BlockHandle handle) throws IOException {
    return Certified.call(
        TestHdfs.CERT,
        () ->
            t.files
                .nameNode()
                .updateBlockForPipeline(handle.located().getBlock(), FilePath.holder(PATH)));
  }

  /** Says that all replicas have the stamp. */
  private static void tell(TestHdfs t, BlockHandle handle, LocatedBlock stamped)
      throws IOException {
    ExtendedBlock block = new ExtendedBlock(handle.located().getBlock());
    block.setGenerationStamp(stamped.getBlock().getGenerationStamp());
    block.setNumBytes(0);
    tell(t, handle, block);
  }

  private static void tell(TestHdfs t, BlockHandle handle, ExtendedBlock block) throws IOException {
    Certified.call(
        TestHdfs.CERT,
        () -> {
          t.files
              .nameNode()
              .updatePipeline(
                  FilePath.holder(PATH),
                  handle.located().getBlock(),
                  block,
                  handle.located().getLocations(),
                  handle.located().getStorageIDs());
          return null;
        });
  }

  /** HDFS changes the old block, and takes only the stamp of the new one. */
  @Test
  void theBlockWithTheNewStampIsTheOneWithTheOld() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      write(t, t.hints(0, 1, 2));
      BlockHandle handle = t.files.locate(PATH).orElseThrow();
      ExtendedBlock old = handle.located().getBlock();
      ExtendedBlock unknown =
          new ExtendedBlock(
              old.getBlockPoolId(),
              old.getBlockId() + 1,
              0,
              newStamp(t, handle).getBlock().getGenerationStamp());
      assertThatThrownBy(() -> tell(t, handle, unknown))
          .isInstanceOf(VolumeFileException.class)
          .hasMessageContaining("its block is " + old.getLocalBlock());
      assertThat(t.files.locate(PATH).orElseThrow().located().getBlock().getGenerationStamp())
          .isEqualTo(old.getGenerationStamp());
    }
  }

  /** The DataNodes that have not reported the stamp, as the NameNode's refusal says. */
  private static List<String> unreported(TestHdfs t, BlockHandle handle, LocatedBlock stamped)
      throws IOException {
    try {
      tell(t, handle, stamped);
      return List.of();
    } catch (UnreportedException refused) {
      return handle.dataNodes().stream()
          .filter(d -> refused.getMessage().contains("<" + d + ">"))
          .toList();
    }
  }

  /** Brings one replica to the stamp, as a recovery does. */
  private static void raise(TestHdfs t, BlockHandle handle, int index, LocatedBlock stamped)
      throws IOException {
    DatanodeInfo[] nodes = handle.located().getLocations();
    ExtendedBlock block = handle.blockOfLength(DATA.length);
    long stamp = stamped.getBlock().getGenerationStamp();
    InterDatanodeProtocol dataNode = DataNodeRpc.recovery(nodes[index], t.hdfs.conf());
    try {
      Repeatable.call(() -> dataNode.initReplicaRecovery(new RecoveringBlock(block, nodes, stamp)));
      dataNode.updateReplicaUnderRecovery(block, stamp, block.getBlockId(), DATA.length);
    } finally {
      RPC.stopProxy(dataNode);
    }
  }

  @Test
  void aStampCountsOnceTheDataNodeItselfHasReportedIt() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      write(t, t.hints(0, 1, 2));
      BlockHandle handle = t.files.locate(PATH).orElseThrow();
      LocatedBlock stamped = newStamp(t, handle);
      assertThat(unreported(t, handle, stamped)).isEqualTo(handle.dataNodes());
      for (int i = 0; i < 3; i++) {
        raise(t, handle, i, stamped);
        List<String> others = handle.dataNodes().subList(i + 1, 3);
        List<String> missing = unreported(t, handle, stamped);
        while (!missing.equals(others)) { // it reports in its own time
          assertThat(missing).containsAll(others);
          Thread.sleep(10);
          missing = unreported(t, handle, stamped);
        }
      }
      BlockHandle counted = t.files.locate(PATH).orElseThrow();
      assertThat(counted.located().getBlock().getGenerationStamp())
          .isEqualTo(stamped.getBlock().getGenerationStamp());
      LocatedBlock later = newStamp(t, counted);
      assertThat(unreported(t, counted, later)).as("a later one").isEqualTo(counted.dataNodes());
      t.recover(PATH, DATA.length, counted.dataNodes().get(0));
    }
  }

  @Test
  void nobodyReportsForADataNode() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      write(t, t.hints(0, 1, 2));
      BlockHandle handle = t.files.locate(PATH).orElseThrow();
      LocatedBlock stamped = newStamp(t, handle);
      Configuration conf = t.hdfs.conf();
      try (DatanodeProtocolClientSideTranslatorPB forger =
          new DatanodeProtocolClientSideTranslatorPB(
              NameNode.getServiceAddress(conf, true), conf)) {
        NamespaceInfo space = forger.versionRequest();
        for (int i = 0; i < 3; i++) {
          forger.blockReceivedAndDeleted(
              new DatanodeRegistration(
                  new DatanodeID(handle.located().getLocations()[i]),
                  new StorageInfo(
                      space.getLayoutVersion(),
                      space.getNamespaceID(),
                      space.getClusterID(),
                      space.getCTime(),
                      NodeType.DATA_NODE),
                  new ExportedBlockKeys(),
                  VersionInfo.getVersion()),
              space.getBlockPoolID(),
              new StorageReceivedDeletedBlocks[] {
                new StorageReceivedDeletedBlocks(
                    new DatanodeStorage(handle.located().getStorageIDs()[i]),
                    new ReceivedDeletedBlockInfo[] {
                      new ReceivedDeletedBlockInfo(
                          stamped.getBlock().getLocalBlock(), BlockStatus.RECEIVING_BLOCK, "")
                    })
              });
        }
      }
      assertThat(unreported(t, handle, stamped)).isEqualTo(handle.dataNodes());
    }
  }

  @Test
  void recoveryWaitsForReportsThatComeWithHeartbeats() throws Exception {
    Configuration late = new Configuration();
    late.set(DFSConfigKeys.DFS_BLOCKREPORT_INCREMENTAL_INTERVAL_MSEC_KEY, "600000");
    try (TestHdfs t = new TestHdfs(dir, 3, late)) {
      List<String> nodes = t.hints(0, 1, 2);
      write(t, nodes);
      Goal goal = new Goal(DATA.length, nodes.get(0), Map.of(), nodes);
      assertThat(t.equalize(PATH, goal)).isEmpty();
    }
  }

  @Test
  void aBlockOfAnotherDirectoryIsNoneOfTheGuardsBusiness() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, 3)) {
      String free = "/free/dir/file";
      BlockHandle handle =
          t.files.createBlock(free, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
      LocatedBlock old = handle.located();
      String holder = FilePath.holder(free);
      ExtendedBlock next =
          t.files.nameNode().updateBlockForPipeline(old.getBlock(), holder).getBlock();
      t.files
          .nameNode()
          .updatePipeline(holder, old.getBlock(), next, old.getLocations(), old.getStorageIDs());
      assertThatThrownBy(
              () ->
                  t.files
                      .nameNode()
                      .updatePipeline(
                          holder, old.getBlock(), next, old.getLocations(), old.getStorageIDs()))
          .as("HDFS has it already")
          .isNotInstanceOf(UnreportedException.class);
    }
  }
}
