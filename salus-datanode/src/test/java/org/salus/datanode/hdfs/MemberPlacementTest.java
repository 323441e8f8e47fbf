package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.replica.BlockHandle;
import org.salus.datanode.hdfs.replica.PermitByFirstByte;
import org.salus.datanode.hdfs.replica.ReplicaWriter;
import org.salus.datanode.hdfs.replica.TestHdfs;

@Tag("cluster")
class MemberPlacementTest {
  private static final int DATA_NODES = 7;
  private static final long WAIT_NANOS = 60_000_000_000L;

  @AfterEach
  void wantNothing() {
    PermitByFirstByte.WANTED.clear();
  }

  /**
   * Four DataNodes could take the third replica; chance alone would choose the wanted one three
   * times in 1 of 64 runs.
   */
  @Test
  void theReplicaOfALostDataNodeIsMadeAnewOnTheMembersDataNode(@TempDir Path dir) throws Exception {
    try (TestHdfs t = new TestHdfs(dir, DATA_NODES)) {
      t.files.createDirectory("/salus/v/r", TestHdfs.CERT);
      List<String> paths = List.of("/salus/v/r/a", "/salus/v/r/b", "/salus/v/r/c");
      for (String path : paths) {
        BlockHandle h = t.files.createBlock(path, TestHdfs.BLOCK, t.hints(0, 1, 2), TestHdfs.CERT);
        for (ReplicaWriter w : t.writers(h)) {
          TestHdfs.get(TestHdfs.append(w, TestHdfs.bytes(1000, 1), 0, 1000, false));
          TestHdfs.get(w.finish(true));
        }
        t.files.complete(path, h, 1000, TestHdfs.CERT);
      }
      String wanted = t.hdfs.dataNodeAddress(5);
      PermitByFirstByte.WANTED.addAll(
          List.of(t.hdfs.dataNodeAddress(0), t.hdfs.dataNodeAddress(1), wanted));
      t.hdfs.stopDataNode(2);
      for (String path : paths) {
        long end = System.nanoTime() + WAIT_NANOS;
        List<String> now = t.files.locate(path).orElseThrow().dataNodes();
        while (now.size() < 3 || now.contains(t.hdfs.dataNodeAddress(2))) {
          assertThat(System.nanoTime()).as("%s still on %s", path, now).isLessThan(end);
          Thread.onSpinWait();
          now = t.files.locate(path).orElseThrow().dataNodes();
        }
        assertThat(now).contains(wanted);
      }
    }
  }
}
