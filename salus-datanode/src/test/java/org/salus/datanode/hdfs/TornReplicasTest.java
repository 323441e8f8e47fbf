package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.replica.TestHdfs;

/**
 * Tests files that are not Salus', such as HBase's logs: HDFS recovers them in its own way after a
 * power cut.
 */
@Timeout(120)
@Tag("cluster")
class TornReplicasTest {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final org.apache.hadoop.fs.Path FILE = new org.apache.hadoop.fs.Path("/log");
  private static final int CHUNK = 512;
  private static final int DATA_NODES = 3;

  @TempDir private Path dir;

  /**
   * Leaves the file like ext4 does: synced bytes, then zeros up to the intended length. The
   * checksums are those of the intended bytes.
   */
  @Test
  void whatWasNeverWrittenBackIsCutOffAndTheRestReadable() throws Exception {
    byte[] synced = TestHdfs.bytes(20 * CHUNK, 1);
    int length = 22 * CHUNK + 100;
    writeAndStop(synced, length);
    assertThat(replicas()).hasSize(DATA_NODES);
    for (Path replica : replicas()) {
      zero(replica, synced.length, length);
    }
    assertThat(recovered()).isEqualTo(synced);
  }

  /** A bad chunk before whole ones was damaged, not torn. The other replicas have it. */
  @Test
  void damageBeforeTheEndCutsNothing() throws Exception {
    byte[] synced = TestHdfs.bytes(20 * CHUNK, 2);
    writeAndStop(synced, synced.length);
    zero(replicas().get(0), 3 * CHUNK, 5 * CHUNK);
    assertThat(recovered()).isEqualTo(synced);
  }

  /**
   * The DataNode itself deals with a replica whose checksums cannot be read. It starts, and the
   * other replicas exist.
   */
  @Test
  void aReplicaThatCannotBeReadKeepsNoDataNodeFromStarting() throws Exception {
    byte[] synced = TestHdfs.bytes(20 * CHUNK, 4);
    writeAndStop(synced, synced.length);
    Path replica = replicas().get(0);
    try (Stream<Path> files = Files.list(replica.getParent())) {
      zero(
          files.filter(f -> f.getFileName().toString().endsWith(".meta")).findFirst().orElseThrow(),
          0,
          7);
    }
    assertThat(recovered()).isEqualTo(synced);
  }

  /** Leaves an open file on stopped DataNodes: the synced bytes, then others. */
  private void writeAndStop(byte[] synced, int length) throws Exception {
    try (TestHdfs t = new TestHdfs(dir, DATA_NODES);
        DistributedFileSystem files = fileSystem(t)) {
      FSDataOutputStream out = files.create(FILE);
      out.write(synced);
      out.hsync();
      out.write(TestHdfs.bytes(length - synced.length, 3));
      out.hflush();
      for (int i = 0; i < DATA_NODES; i++) {
        t.hdfs.stopDataNode(i);
      }
    }
  }

  private byte[] recovered() throws Exception {
    try (TestHdfs t = new TestHdfs(dir, DATA_NODES);
        DistributedFileSystem files = fileSystem(t)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!files.recoverLease(FILE)) {
        assertThat(System.nanoTime()).as("time at which the file is closed").isLessThan(end);
        LockSupport.parkNanos(POLL_NANOS);
      }
      try (var in = files.open(FILE)) {
        return in.readAllBytes();
      }
    }
  }

  private static DistributedFileSystem fileSystem(TestHdfs t) throws IOException {
    DistributedFileSystem files = new DistributedFileSystem();
    files.initialize(t.hdfs.nameNodeUri(), t.hdfs.conf());
    return files;
  }

  /** The replicas of the open file. */
  private List<Path> replicas() throws IOException {
    try (Stream<Path> files = Files.walk(dir)) {
      return files
          .filter(
              f -> f.getParent().endsWith("rbw") && f.getFileName().toString().matches("blk_\\d+"))
          .sorted()
          .toList();
    }
  }

  private static void zero(Path replica, int from, int to) throws IOException {
    try (RandomAccessFile f = new RandomAccessFile(replica.toFile(), "rw")) {
      assertThat(f.length()).isGreaterThanOrEqualTo(to);
      f.seek(from);
      f.write(new byte[to - from]);
    }
  }
}
