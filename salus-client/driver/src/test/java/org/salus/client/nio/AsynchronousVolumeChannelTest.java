package org.salus.client.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;

class AsynchronousVolumeChannelTest {
  private final ArrayVolume volume = new ArrayVolume();
  private final AsynchronousVolumeChannel channel =
      new AsynchronousVolumeChannel(volume, 1_000, 500);
  private final List<String> told = new ArrayList<>();

  private <T> CompletionHandler<T, String> handler() {
    return new CompletionHandler<>() {
      @Override
      public void completed(T result, String attachment) {
        told.add(attachment + " " + result);
      }

      @Override
      public void failed(Throwable why, String attachment) {
        told.add(attachment + " " + why.getClass().getSimpleName());
      }
    };
  }

  @Test
  void readWhoseBufferWasCutMeanwhileEnds() {
    volume.hangs = true;
    ByteBuffer dst = ByteBuffer.allocate(10);
    Future<Integer> read = channel.read(dst, 0);
    dst.limit(2);
    volume.hanging.complete(null);
    assertThatThrownBy(() -> read.get(1, TimeUnit.SECONDS)).hasMessageContaining("limit");
  }

  @Test
  void bytesAreReadAsTheyWereWrittenInsideOfTheWindow() {
    ByteBuffer src = ByteBuffer.wrap(new byte[] {1, 2, 3});
    assertThat(channel.write(src, 498)).isCompletedWithValue(2);
    assertThat(src.position()).isEqualTo(2);
    assertThat(volume.bytes[1_499]).isEqualTo((byte) 2);
    assertThat(volume.bytes[1_500]).isZero();
    ByteBuffer dst = ByteBuffer.allocate(10);
    assertThat(channel.read(dst, 499)).isCompletedWithValue(1);
    assertThat(dst.position()).isEqualTo(1);
    assertThat(dst.get(0)).isEqualTo((byte) 2);
    assertThat(channel.read(dst, 500)).isCompletedWithValue(-1);
    assertThat(channel.write(src, 500)).isCompletedExceptionally();
    assertThatThrownBy(() -> channel.read(dst, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> channel.read(dst.asReadOnlyBuffer(), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void handlersAreToldTheNumberOrTheFailure() {
    channel.write(ByteBuffer.allocate(5), 0, "write", handler());
    channel.read(ByteBuffer.allocate(5), 0, "read", handler());
    channel.lock(0, 1, false, "lock", handler());
    volume.failure = new SalusException.NoSpace("no room");
    ByteBuffer src = ByteBuffer.allocate(5);
    channel.write(src, 0, "full", handler());
    assertThat(src.position()).isZero();
    assertThat(told).hasSize(4).startsWith("write 5", "read 5").endsWith("full IOException");
    assertThatThrownBy(() -> channel.write(src, 0).join()).hasRootCause(volume.failure);
  }

  @Test
  void closeEndsWhatIsOutstandingAndLeavesTheVolumeOpen() throws IOException {
    volume.hangs = true;
    ByteBuffer dst = ByteBuffer.allocate(1);
    channel.read(dst, 0, "hangs", handler());
    FileLock lock = channel.tryLock();
    channel.close();
    channel.close();
    assertThat(told).containsExactly("hangs AsynchronousCloseException");
    assertThat(volume.hanging).isCancelled();
    assertThat(dst.position()).isZero();
    assertThat(lock.isValid()).isFalse();
    assertThat(channel.isOpen()).isFalse();
    assertThat(volume.closed).isFalse();
    channel.read(dst, 0, "late", handler());
    channel.write(dst, 0, "later", handler());
    channel.lock(0, 1, true, "lock", handler());
    assertThat(told.subList(1, 4)).allMatch(t -> t.endsWith("ClosedChannelException"));
    assertThatThrownBy(channel::size).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void cancelEndsTheRequestAndMovesNoBuffer() {
    volume.hangs = true;
    ByteBuffer dst = ByteBuffer.allocate(1);
    CompletableFuture<Integer> read = channel.read(dst, 0);
    CompletableFuture<Void> request = volume.hanging;
    assertThat(read.cancel(true)).isTrue();
    assertThat(request).isCancelled();
    assertThat(dst.position()).isZero();
  }

  /** The ways in which others end a read under way. */
  private List<Consumer<CompletableFuture<Integer>>> ends() {
    return List.of(
        read -> channel.close(),
        read -> read.cancel(true),
        read -> read.complete(0),
        read -> read.completeExceptionally(new IOException("enough")),
        read -> read.orTimeout(1, TimeUnit.NANOSECONDS),
        read -> read.completeOnTimeout(0, 1, TimeUnit.NANOSECONDS));
  }

  /** Nothing may come into a buffer that the caller has back. */
  @Test
  void requestIsOverBeforeAReadThatOthersEndIsDone() {
    volume.hangs = true;
    for (Consumer<CompletableFuture<Integer>> end : ends().subList(1, ends().size())) {
      endsAfterItsRequest(end);
    }
    endsAfterItsRequest(ends().get(0));
  }

  private void endsAfterItsRequest(Consumer<CompletableFuture<Integer>> end) {
    ByteBuffer dst = ByteBuffer.allocate(1);
    CompletableFuture<Integer> read = channel.read(dst, 0);
    CompletableFuture<Void> request = volume.hanging;
    CompletableFuture<Boolean> over = read.handle((n, ended) -> request.isDone());
    end.accept(read);
    assertThat(over.orTimeout(30, TimeUnit.SECONDS).join()).isTrue();
    assertThat(request).isCancelled();
    assertThat(dst.position()).isZero();
  }

  @Test
  void handlersRunOnTheCallbackExecutorWhoeverEndsTheRequest() throws IOException {
    List<Runnable> callbacks = new ArrayList<>();
    volume.callbacks = callbacks::add;
    ByteBuffer dst = ByteBuffer.allocate(1);
    channel.read(dst, 500, "end", handler());
    channel.write(dst, 500, "full", handler());
    channel.write(dst, 0, "write", handler());
    channel.lock(0, 1, false, "lock", handler());
    volume.hangs = true;
    dst.clear();
    channel.read(dst, 0, "hangs", handler());
    channel.close();
    channel.read(dst, 0, "late", handler());
    channel.lock(0, 1, false, "late lock", handler());
    assertThat(told).as("on the threads of the calls").isEmpty();
    for (int i = 0; i < callbacks.size(); i++) {
      callbacks.get(i).run(); // which may add more
    }
    assertThat(told).hasSize(7).contains("end -1", "write 1", "hangs AsynchronousCloseException");
  }

  @Test
  void sizeIsFixedAndForceFlushes() throws IOException {
    assertThat(channel.size()).isEqualTo(500);
    assertThat(channel.truncate(500)).isSameAs(channel);
    assertThatThrownBy(() -> channel.truncate(499))
        .isInstanceOf(UnsupportedOperationException.class);
    channel.force(true);
    assertThat(volume.flushes).isEqualTo(1);
    volume.failure = new SalusException.TimedOut("no answer");
    assertThatThrownBy(() -> channel.force(true)).hasCause(volume.failure);
  }

  @Test
  void bothKindsOfChannelsShareTheLocks() throws IOException {
    channel.tryLock(0, 10, false);
    try (VolumeChannel other = new VolumeChannel(volume)) {
      assertThatThrownBy(() -> other.lock(1_009, 1, false))
          .isInstanceOf(OverlappingFileLockException.class);
      channel.close();
      assertThat(other.lock(1_009, 1, false).isValid()).isTrue();
    }
  }
}
