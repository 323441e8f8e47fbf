package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;
import static org.salus.client.MemoryClient.reason;

import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountConfig;
import org.salus.core.session.SessionConfig;

/** A volume's calls, over members in memory. */
class RemoteVolumeTest {
  private static final int BLOCK = 4096;

  @Test
  void bytesAreReadAsTheyWereWrittenAtAnyAlignment() throws Exception {
    MemoryClient c = MemoryClient.opened();
    byte[] bytes = new byte[3 * BLOCK];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31 + i / 7 + 1);
    }
    CompletableFuture<Void> written = c.volume.write(BLOCK - 5, ByteBuffer.wrap(bytes));
    CompletableFuture<Void> zeroed = c.volume.writeZeroes(2 * BLOCK, 10, false);
    ByteBuffer dst = ByteBuffer.allocate(bytes.length + 10);
    CompletableFuture<Void> read = c.volume.read(BLOCK - 10, dst);
    c.loop.settle();
    assertThat(written).isCompleted();
    assertThat(zeroed).isCompleted();
    assertThat(read).isCompleted();
    byte[] expected = new byte[dst.capacity()];
    System.arraycopy(bytes, 0, expected, 5, bytes.length);
    for (int i = 0; i < 10; i++) {
      expected[BLOCK + 10 + i] = 0;
    }
    assertThat(dst.array()).isEqualTo(expected);
  }

  @Test
  void requestsTakeEffectInTheOrderOfTheCalls() throws Exception {
    MemoryClient c = MemoryClient.opened();
    for (int i = 1; i <= 20; i++) {
      c.volume.write(i % 2 * 100L, ByteBuffer.wrap(new byte[BLOCK]));
      c.volume.write(50, ByteBuffer.wrap(new byte[] {(byte) i}));
    }
    c.loop.settle();
    assertThat(c.read(50)).isEqualTo(20);
  }

  @Test
  void flushCompletes() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.write(5, 1);
    CompletableFuture<Void> flushed = c.volume.flush();
    c.loop.settle();
    assertThat(flushed).isCompleted();
  }

  @Test
  void extentsTellWhatWasWritten() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.write(0, 1);
    CompletableFuture<java.util.List<Volume.Extent>> extents = c.volume.extents(0, 2 * BLOCK);
    c.loop.settle();
    assertThat(extents.join())
        .containsExactly(new Volume.Extent(0, BLOCK, false), new Volume.Extent(BLOCK, BLOCK, true));
  }

  @Test
  void requestOutOfRangeFailsInTheCall() throws Exception {
    MemoryClient c = MemoryClient.opened();
    long size = c.volume.size();
    ByteBuffer two = ByteBuffer.allocate(2);
    assertThatThrownBy(() -> c.volume.read(size - 1, two))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "2 bytes from offset "
                + (size - 1)
                + " are outside of volume disk of "
                + size
                + " bytes");
    assertThatThrownBy(() -> c.volume.write(-1, two))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("volume disk: offset -1, length 2: neither may be negative");
    assertThatThrownBy(() -> c.volume.writeZeroes(0, -7, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("volume disk: offset 0, length -7: neither may be negative");
    assertThatThrownBy(() -> c.volume.writeZeroes(0, Long.MAX_VALUE, false))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> c.volume.extents(Long.MAX_VALUE, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("1 bytes from offset 9223372036854775807 are outside of");
    assertThatThrownBy(() -> c.volume.read(0, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("dst");
    assertThatThrownBy(() -> c.volume.write(0, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("src");
    CompletableFuture<Void> last = c.volume.read(size - 2, two);
    c.loop.settle();
    assertThat(last).isCompleted();
  }

  @Test
  void readIntoAReadOnlyBufferFailsInTheCall() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThatThrownBy(() -> c.volume.read(0, ByteBuffer.allocate(1).asReadOnlyBuffer()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void requestOfNoBytesIsDoneAtOnce() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.volume.write(c.volume.size(), ByteBuffer.allocate(0))).isCompleted();
  }

  @Test
  void closedVolumeFailsRequestsAndGivesTheLeaseBack() throws Exception {
    MemoryClient c = MemoryClient.opened();
    CompletableFuture<Void> before = c.volume.write(5, ByteBuffer.wrap(new byte[] {1}));
    c.volume.close();
    CompletableFuture<Void> after = c.volume.write(5, ByteBuffer.wrap(new byte[] {2}));
    assertThat(c.volume.isOver()).isFalse();
    c.loop.settle();
    assertThat(before).isCompleted();
    assertThat(failure(after)).isInstanceOf(SalusException.Closed.class);
    assertThat(c.volume.isOver()).isTrue();
    assertThat(c.store.writer()).isZero();
    c.volume.close();
    assertThat(failure(c.beginRead(5))).isInstanceOf(SalusException.Closed.class);
  }

  @Test
  void closeWaitsForTheAnswersOfRequests() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.members.silent = true;
    CompletableFuture<Void> before = c.volume.write(0, ByteBuffer.allocate(BLOCK));
    c.volume.close();
    c.loop.settle();
    assertThat(c.volume.isOver()).isFalse();
    assertThat(c.store.writer()).isEqualTo(1);
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(before).isCompleted();
    assertThat(c.volume.isOver()).isTrue();
  }

  @Test
  void requestsWaitOverARemountAndKeepTheirOrder() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.write(5, 1);
    c.store.loseSession();
    c.loop.settle();
    CompletableFuture<Void> first = c.write(5, 2);
    CompletableFuture<Void> second = c.write(5, 3);
    CompletableFuture<Void> read = c.beginRead(5);
    assertThat(read).isNotDone();
    c.store.forgetSession();
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(read).isCompleted();
    assertThat(c.read(5)).isEqualTo(3);
  }

  /** With the blocks around it, it has 2 GiB and more. */
  @Test
  void requestNear2GiBThatIsNotAlignedIsCutOrWholeAndTheVolumeGoesOn(@TempDir Path dir)
      throws Exception {
    int length = Integer.MAX_VALUE;
    VolumeSpec spec = new VolumeSpec("disk", 9, 256 << 10, 8193, 1, false, 64 << 20);
    MemoryClient c =
        new MemoryClient(
            spec,
            MountConfig.defaults(),
            SessionConfig.defaults(),
            Runnable::run,
            32 << 20); // bytes that requests may hold
    c.open();
    try (FileChannel file =
        FileChannel.open(
            dir.resolve("sparse"),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.SPARSE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      ByteBuffer buffer = file.map(FileChannel.MapMode.READ_WRITE, 0, length);
      buffer.put(0, (byte) 7);
      CompletableFuture<Void> written = c.volume.write(1, buffer);
      c.loop.settle();
      assertThat(reason(written))
          .isInstanceOf(SalusException.Failed.class)
          .hasMessageMatching(".*: only the first [1-9][0-9]{6,7} bytes were written: .*")
          .hasCauseInstanceOf(SalusException.Overloaded.class);
      assertThat(c.read(0)).isZero();
      assertThat(c.read(1)).isEqualTo(7);

      assertThat(c.write(Integer.MAX_VALUE, 9)).isCompleted(); // the last byte of the range
      buffer.put(0, (byte) 0);
      CompletableFuture<Void> read = c.volume.read(1, buffer);
      c.loop.settle();
      assertThat(read).isCompleted();
      assertThat(buffer.get(0)).isEqualTo((byte) 7);
      assertThat(buffer.get(length - 1)).isEqualTo((byte) 9);
      file.truncate(0); // so that nobody writes it to a disk
    }
    assertThat(c.volume.statistics().outstandingBytes()).isZero();
    assertThat(c.write(5, 3)).isCompleted();
    assertThat(c.read(5)).isEqualTo(3);
  }
}
