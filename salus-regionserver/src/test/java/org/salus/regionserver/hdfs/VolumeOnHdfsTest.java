package org.salus.regionserver.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogRecord;
import org.salus.core.path.FilePath;

/** Tests the protocol on a real HDFS, for which the simulator's disks stand. */
@Tag("cluster")
class VolumeOnHdfsTest {
  private static final int BLOCK = 4096;

  @TempDir Path dir;

  private final VolumeSpec spec = new VolumeSpec("disk", 77, BLOCK, 4096, 2, false, 4 << 20);

  private static byte[] content(int blocks, long seed) {
    byte[] b = new byte[blocks * BLOCK];
    new Random(seed).nextBytes(b);
    return b;
  }

  @Test
  void everyAcknowledgedBlockIsThereAfterACrashOfEverything() throws Exception {
    byte[] expected = content(3000, 5); // over several segments of each region
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      assertThat(v.read(0, 64)).containsOnly(0);
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      for (int b = 0; b < 3000; b += 50) {
        writes.add(v.write(b, ByteBuffer.wrap(expected, b * BLOCK, 50 * BLOCK)));
      }
      CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).get();
      v.flush().get();
      assertThat(v.read(0, 3000)).isEqualTo(expected);
      assertThat(v.reports).isEmpty();
    }
    try (TestVolume v = new TestVolume(dir, spec, 2, 2)) {
      v.awaitMount();
      assertThat(v.read(0, 3000)).isEqualTo(expected);
      byte[] again = content(10, 6);
      v.write(40, ByteBuffer.wrap(again)).get();
      assertThat(v.read(40, 10)).isEqualTo(again);
      assertThat(v.reports).isEmpty();
    }
  }

  @Test
  @Timeout(60)
  void whatIsInThePageCacheIsReadOnTheLoop() throws Exception {
    byte[] expected = content(3000, 11); // in checkpoints and in the log
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      v.write(0, ByteBuffer.wrap(expected)).get();
      long before;
      do { // until each member's replicas are open, and what is built is built
        before = v.handedOver();
        for (int block = 0; block < 3000; block += 100) {
          assertThat(v.read(block, 8))
              .isEqualTo(Arrays.copyOfRange(expected, block * BLOCK, (block + 8) * BLOCK));
        }
      } while (v.handedOver() > before);
      assertThat(v.reports).isEmpty();
    }
  }

  @Test
  void aFlippedByteInOneReplicaIsReportedAndNeverRead() throws Exception {
    byte[] expected = content(40, 9);
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      v.write(0, ByteBuffer.wrap(expected)).get();
      assertThat(flip(Arrays.copyOf(expected, 64))).isEqualTo(1);
      for (int i = 0; i < 12; i++) { // whichever member is asked first
        assertThat(v.read(0, 40)).isEqualTo(expected);
      }
      assertThat(v.reports)
          .isNotEmpty()
          .allMatch(r -> r.contains("sent blocks that the volume tree does not confirm"));
    }
  }

  /**
   * Flips a byte of the first block file that holds this content, and returns the number of flipped
   * bytes.
   */
  private int flip(byte[] content) throws Exception {
    try (Stream<Path> all = Files.walk(dir)) {
      for (Path p : all.filter(f -> f.getFileName().toString().matches("blk_\\d+")).toList()) {
        byte[] bytes = Files.readAllBytes(p);
        for (int at = 0; at + content.length < bytes.length; at++) {
          if (Arrays.equals(bytes, at, at + content.length, content, 0, content.length)) {
            try (RandomAccessFile f = new RandomAccessFile(p.toFile(), "rw")) {
              f.seek(at + 17);
              f.write(bytes[at + 17] ^ 1);
            }
            return 1;
          }
        }
      }
    } catch (NoSuchFileException | UncheckedIOException moved) {
      return flip(content); // by its DataNode, while others were read
    }
    return 0;
  }

  @Test
  @Timeout(60)
  void whoIsToJoinReadsAllThatIsCertifiedOfTheOpenSegmentsToo() throws Exception {
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      v.write(0, ByteBuffer.wrap(content(1500, 3)))
          .get(); // two segments of one region, one of the other
      v.flush().get();
      while (payload(v.readAhead(0)) + payload(v.readAhead(1)) < 1500 * BLOCK) {
        Thread.onSpinWait(); // the last certificates are on their way to the disks
      }
    }
  }

  /** A read after the end of the epoch opens nothing, because nobody would close it. */
  @Test
  void nothingIsReadOfWhatWasClosed() throws Exception {
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      v.write(0, ByteBuffer.wrap(content(10, 4))).get();
      v.flush().get();
      RegionStore store = v.store(0, 0);
      assertThat(store.read(1, 0, ByteBuffer.allocate(100))).isTrue();
      store.close();
      assertThat(store.read(1, 0, ByteBuffer.allocate(100))).isFalse();
    }
  }

  private static long payload(List<LogRecord> records) {
    return records.stream().mapToLong(LogRecord::payloadLength).sum();
  }

  @Test
  void theNameNodeRefusesToDeleteASegmentWithoutACertificate() throws Exception {
    try (TestVolume v = new TestVolume(dir, spec, 1, 1)) {
      v.awaitMount();
      org.apache.hadoop.fs.Path segment =
          new org.apache.hadoop.fs.Path(FilePath.of(spec, 0, FilePath.Kind.LOG, 1));
      try (FileSystem fs = FileSystem.newInstance(v.hdfs.nameNodeUri(), v.hdfs.conf())) {
        assertThat(fs.exists(segment)).isTrue();
        assertThatThrownBy(() -> fs.delete(segment, false)).hasMessageContaining("certificate");
        assertThat(fs.exists(segment)).isTrue();
      }
    }
  }
}
