package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VolumeChannelTest {
  private static final int SIZE = 8192;

  private final ArrayVolume volume = new ArrayVolume();
  private final VolumeChannel channel = new VolumeChannel(volume);

  /** A volume in an array; every request is done at once. */
  private static final class ArrayVolume implements Volume {
    final byte[] bytes = new byte[SIZE];
    SalusException failure;
    int flushes;
    boolean closed;

    /** Whether reads are never done. */
    boolean hangs;

    CompletableFuture<Void> hanging;

    private CompletableFuture<Void> done(Runnable work) {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      work.run();
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public String name() {
      return "disk";
    }

    @Override
    public long size() {
      return SIZE;
    }

    @Override
    public int blockSize() {
      return 4096;
    }

    @Override
    public CompletableFuture<Void> read(long offset, ByteBuffer dst) {
      if (hangs) {
        hanging = new CompletableFuture<>();
        return hanging;
      }
      return done(() -> dst.duplicate().put(bytes, (int) offset, dst.remaining()));
    }

    @Override
    public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
      return done(() -> src.duplicate().get(bytes, (int) offset, src.remaining()));
    }

    @Override
    public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> flush() {
      return done(() -> flushes++);
    }

    @Override
    public CompletableFuture<List<Extent>> extents(long offset, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

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
        .hasMessageContaining("end of volume disk");
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
    assertThatThrownBy(() -> channel.force()).isInstanceOf(ClosedChannelException.class);
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
}
