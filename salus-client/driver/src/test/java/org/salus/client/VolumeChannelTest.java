package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
      return done(() -> dst.put(bytes, (int) offset, dst.remaining()));
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
  void channelWhoseFlushFailedIsStillOpen() {
    volume.failure = new SalusException.TimedOut("no answer");
    assertThatThrownBy(channel::close).isInstanceOf(IOException.class);
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void sizeIsFixed() {
    assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(UnsupportedOperationException.class);
  }
}
