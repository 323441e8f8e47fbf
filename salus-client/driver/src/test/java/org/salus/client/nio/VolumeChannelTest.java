package org.salus.client.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.compress.archivers.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;

class VolumeChannelTest {
  private static final int SIZE = ArrayVolume.SIZE;

  private final ArrayVolume volume = new ArrayVolume();
  private final VolumeChannel channel = new VolumeChannel(volume);

  @Test
  void positionFollowsReadsAndWrites() throws IOException {
    channel.position(100);
    assertThat(channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}))).isEqualTo(3);
    assertThat(channel.position()).isEqualTo(103);
    ByteBuffer dst = ByteBuffer.allocate(3);
    assertThat(channel.position(100).read(dst)).isEqualTo(3);
    assertThat(dst.array()).containsExactly(1, 2, 3);
    assertThat(dst.remaining()).isZero();
    assertThat(channel.position()).isEqualTo(103);
  }

  @Test
  void readStopsAtTheEnd() throws IOException {
    assertThat(channel.position(SIZE - 2).read(ByteBuffer.allocate(5))).isEqualTo(2);
    assertThat(channel.read(ByteBuffer.allocate(5))).isEqualTo(-1);
  }

  @Test
  void writeAtTheEndFailsAndBeforeItIsShort() throws IOException {
    ByteBuffer src = ByteBuffer.wrap(new byte[] {1, 2, 3});
    assertThat(channel.position(SIZE - 2).write(src)).isEqualTo(2);
    assertThat(src.remaining()).isEqualTo(1);
    assertThatThrownBy(() -> channel.write(src))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("end of the window of volume disk");
    assertThat(channel.write(ByteBuffer.allocate(0))).isZero();
  }

  @Test
  void failureOfTheVolumeIsAnIoExceptionAndMovesNothing() throws IOException {
    volume.failure = new SalusException.NoSpace("no room");
    ByteBuffer src = ByteBuffer.wrap(new byte[] {1});
    assertThatThrownBy(() -> channel.write(src))
        .isInstanceOf(IOException.class)
        .hasMessage("no room")
        .hasCause(volume.failure);
    assertThat(src.remaining()).isEqualTo(1);
    assertThat(channel.position()).isZero();
  }

  @Test
  void closeFlushesOnceAndLeavesTheVolumeOpen() throws IOException {
    channel.close();
    channel.close();
    assertThat(volume.flushes).isEqualTo(1);
    assertThat(volume.closed).isFalse();
    assertThat(channel.isOpen()).isFalse();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(() -> channel.force(true)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void channelWhoseFlushFailedIsClosedAllTheSame() throws IOException {
    volume.failure = new SalusException.TimedOut("no answer");
    assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
    assertThat(channel.isOpen()).isFalse();
    channel.close();
  }

  @Test
  void truncateChangesNothingAndRefusesLess() throws IOException {
    channel.position(SIZE + 10);
    assertThat(channel.truncate(SIZE + 5).position()).isEqualTo(SIZE + 5);
    assertThat(channel.truncate(SIZE).position()).isEqualTo(SIZE);
    assertThat(channel.size()).isEqualTo(SIZE);
    assertThatThrownBy(() -> channel.truncate(SIZE - 1))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> channel.truncate(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void emptyWriteBeyondTheEndWritesNothing() throws IOException {
    assertThat(channel.position(SIZE + 10).write(ByteBuffer.allocate(0))).isZero();
    assertThat(channel.position()).isEqualTo(SIZE + 10);
    assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
  }

  @Test
  void interruptClosesTheChannelAndEndsTheCall() {
    volume.hangs = true;
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(channel.isOpen()).isFalse();
    assertThat(volume.hanging).isCancelled();
    assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void closeByAnotherThreadEndsTheCall() throws Exception {
    volume.hangs = true;
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                channel.read(ByteBuffer.allocate(1));
                thrown.complete(null);
              } catch (IOException expected) {
                thrown.complete(expected);
              }
            });
    reader.start();
    while (reader.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    channel.close();
    assertThat(thrown.get(30, TimeUnit.SECONDS)).isInstanceOf(AsynchronousCloseException.class);
    assertThat(volume.flushes).isEqualTo(1);
  }

  @Test
  void argumentsAreCheckedBeforeAnythingElse() {
    ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
    WritableByteChannel target = Channels.newChannel(new ByteArrayOutputStream());
    for (long at : new long[] {0, SIZE}) {
      assertThatIllegalArgumentException().isThrownBy(() -> channel.read(readOnly, at));
      assertThatIllegalArgumentException().isThrownBy(() -> channel.position(at).read(readOnly));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> channel.transferTo(-1, 0, target));
    assertThatIllegalArgumentException().isThrownBy(() -> channel.transferTo(0, -1, target));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> channel.transferFrom(new VolumeChannel(volume), -1, 0));
  }

  // ---- windows ----

  private final VolumeChannel window = new VolumeChannel(volume, 1_000, 500);

  @Test
  void windowHasItsOwnPositionsAndSizeAndTouchesNothingElse() throws IOException {
    assertThat(window.size()).isEqualTo(500);
    byte[] data = new byte[600];
    Arrays.fill(data, (byte) 7);
    ByteBuffer src = ByteBuffer.wrap(data);
    assertThat(window.write(src)).isEqualTo(500);
    assertThat(src.position()).isEqualTo(500);
    for (int i = 0; i < SIZE; i++) {
      assertThat(volume.bytes[i])
          .as("byte %d", i)
          .isEqualTo(i >= 1_000 && i < 1_500 ? 7 : (byte) 0);
    }
    assertThatThrownBy(() -> window.write(src)).isInstanceOf(IOException.class);
    assertThat(window.read(ByteBuffer.allocate(9))).isEqualTo(-1);
  }

  @Test
  void windowOutsideOfTheVolumeIsRefused() {
    assertThatThrownBy(() -> new VolumeChannel(volume, 1, SIZE))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new VolumeChannel(volume, -1, 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void callsWithAPositionOfTheirOwnLeaveTheChannels() throws IOException {
    window.position(3);
    assertThat(window.write(ByteBuffer.wrap(new byte[] {1, 2}), 100)).isEqualTo(2);
    ByteBuffer dst = ByteBuffer.allocate(3);
    assertThat(window.read(dst, 99)).isEqualTo(3);
    assertThat(dst.array()).containsExactly(0, 1, 2);
    assertThat(dst.remaining()).isZero();
    assertThat(window.position()).isEqualTo(3);
    assertThat(volume.bytes[1_100]).isEqualTo((byte) 1);
    assertThatThrownBy(() -> window.read(dst, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> window.write(dst, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  // ---- scatter, gather, transfer ----

  @Test
  void gatheredBytesAreScatteredAgain() throws IOException {
    ByteBuffer[] srcs = {
      ByteBuffer.wrap(new byte[] {9}), ByteBuffer.wrap(new byte[] {1, 2}),
      ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {3, 4, 5}),
    };
    window.position(495);
    assertThat(window.write(srcs, 1, 3)).isEqualTo(5);
    assertThat(srcs[0].position()).isZero();
    assertThat(srcs[3].hasRemaining()).isFalse();
    ByteBuffer[] dsts = {ByteBuffer.allocate(4), ByteBuffer.allocate(4)};
    assertThat(window.position(494).read(dsts)).isEqualTo(6);
    assertThat(dsts[0].array()).containsExactly(0, 1, 2, 3);
    assertThat(dsts[1].flip().remaining()).isEqualTo(2);
    assertThat(dsts[1].get(1)).isEqualTo((byte) 5);
    assertThat(window.read(dsts)).isEqualTo(-1);
    assertThatThrownBy(() -> window.write(new ByteBuffer[] {ByteBuffer.allocate(1)}))
        .isInstanceOf(IOException.class);
    ByteBuffer[] longer = {ByteBuffer.allocate(4), ByteBuffer.allocate(4)};
    assertThat(window.position(495).write(longer)).as("cut at the end").isEqualTo(5);
    assertThat(longer[1].position()).isEqualTo(1);
  }

  @Test
  void transfersStopAtTheEndAndWhereTheOtherSideDoes() throws IOException {
    byte[] data = new byte[700];
    new Random(1).nextBytes(data);
    assertThat(window.transferFrom(Channels.newChannel(new ByteArrayInputStream(data)), 100, 1_000))
        .isEqualTo(400);
    assertThat(
            window.transferFrom(Channels.newChannel(new ByteArrayInputStream(data, 0, 50)), 0, 80))
        .isEqualTo(50);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThat(window.transferTo(0, 1_000, Channels.newChannel(out))).isEqualTo(500);
    assertThat(Arrays.copyOf(out.toByteArray(), 50)).isEqualTo(Arrays.copyOf(data, 50));
    assertThat(Arrays.copyOfRange(out.toByteArray(), 100, 500)).isEqualTo(Arrays.copyOf(data, 400));
    assertThat(window.transferTo(600, 1, Channels.newChannel(out))).isZero();
    assertThat(window.position()).isZero();
  }

  // ---- locks and maps ----

  @Test
  void locksThatOverlapAreRefusedInThisProcessAndFreedByTheClose() throws IOException {
    FileLock lock = window.lock(10, 20, false);
    assertThat(lock.isValid()).isTrue();
    assertThatThrownBy(() -> channel.tryLock(1_029, 1, true))
        .isInstanceOf(OverlappingFileLockException.class);
    FileLock next = channel.tryLock(1_030, 1, true);
    lock.release();
    assertThat(lock.isValid()).isFalse();
    assertThat(window.tryLock(10, 20, false)).isNotNull();
    window.close();
    assertThat(channel.lock(1_000, 30, false).isValid()).isTrue();
    channel.close();
    assertThat(next.isValid()).isFalse();
    assertThatThrownBy(() -> channel.tryLock()).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void lockOnAllOfAWindowTouchesNoOtherWindow() throws IOException {
    try (VolumeChannel before = new VolumeChannel(volume, 0, 1_000);
        VolumeChannel across = new VolumeChannel(volume, 999, 10)) {
      assertThat(window.tryLock()).isNotNull();
      assertThat(before.tryLock()).isNotNull();
      assertThatThrownBy(across::tryLock).isInstanceOf(OverlappingFileLockException.class);
    }
  }

  @Test
  void mapIsRefusedWithASentence() {
    assertThatThrownBy(() -> window.map(FileChannel.MapMode.READ_ONLY, 0, 1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("read them into a buffer");
  }

  /** It looks for the end of the archive at the end of the channel. */
  @Test
  void zipFileWorksOnAWindow() throws IOException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    byte[] text = new byte[3_000];
    new Random(2).nextBytes(text);
    try (ZipOutputStream zip = new ZipOutputStream(archive)) {
      zip.putNextEntry(new ZipEntry("a"));
      zip.write(text);
    }
    try (VolumeChannel own = new VolumeChannel(volume, 77, archive.size())) {
      own.write(ByteBuffer.wrap(archive.toByteArray()));
      try (ZipFile zip = ZipFile.builder().setSeekableByteChannel(own).get()) {
        assertThat(zip.getInputStream(zip.getEntry("a")).readAllBytes()).isEqualTo(text);
      }
    }
  }
}
