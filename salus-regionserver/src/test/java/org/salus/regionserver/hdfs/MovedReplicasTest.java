package org.salus.regionserver.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.core.log.FilePath;
import org.salus.core.log.KnownLog;
import org.salus.core.log.LogScan;
import org.salus.core.log.SegmentEnd;
import org.salus.core.replacement.EpochLink;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;

/** A holder whose next epoch gives its replica another DataNode (§4.2.1), on a real HDFS. */
@Tag("cluster")
class MovedReplicasTest {
  private static final int BLOCK = 4096;
  private static final int SPARE = 3;

  @TempDir Path dir;

  private final VolumeSpec spec = new VolumeSpec("disk", 77, BLOCK, 4096, 2, false, 4 << 20);

  @Test
  void aHolderFindsItsLogOnItsNewDataNodeUnlessTheCopyWasCutShort() throws Exception {
    try (TestVolume v = new TestVolume(dir, spec, 1, 1);
        Loops loops = new Loops("moved", 1, FaultHandler.stopping("test", () -> {}))) {
      v.awaitMount();
      byte[] content = new byte[400 * BLOCK];
      Arrays.fill(content, (byte) 7);
      v.write(0, ByteBuffer.wrap(content)).get();
      v.stopMembers();
      List<SegmentEnd> before = scan(v, 0, false, loops).ends();
      assertThat(before).as("the log").anyMatch(s -> s.length() > 50 * BLOCK);
      assertThat(scan(v, 0, true, loops).ends()).isEqualTo(before);
      assertThat(scan(v, 0, true, loops).ends()).as("the copy is there").isEqualTo(before);

      writePart(v, 1, loops);
      assertThatThrownBy(() -> scan(v, 1, true, loops))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("was cut short");
    }
  }

  /** Scans as M0 of the next epoch, with its replica where it was or on the spare DataNode. */
  private LogScan.Found scan(TestVolume v, int region, boolean moved, Loops loops)
      throws Exception {
    EpochLink served = v.register(region).served();
    List<String> dataNodes = new ArrayList<>(served.dataNodes());
    if (moved) {
      dataNodes.set(0, v.hdfs.dataNodeAddress(SPARE));
    }
    EpochLink next = v.link(region, 2, served.nodes(), dataNodes);
    try (RegionStore store = v.store(next, loops.loop(0))) {
      return store.scan(new KnownLog(), served.epoch(), next);
    }
  }

  /** Leaves the beginning of a copy on the spare DataNode, as a server does that is killed. */
  private void writePart(TestVolume v, int region, Loops loops) throws Exception {
    String spare = v.hdfs.dataNodeAddress(SPARE);
    try (VolumeFiles files = new VolumeFiles(v.hdfs.conf())) {
      BlockHandle handle =
          files.locate(FilePath.of(spec, region, FilePath.Kind.LOG, 1)).orElseThrow();
      BlockHandle with = files.withReplicas(handle, List.of(spare));
      try (ReplicaWriter writer =
          ReplicaWriter.create(with, with.indexOf(spare), v.hdfs.conf(), loops.loop(0))) {
        new ReplicaOutput(writer).finish();
      }
    }
  }
}
