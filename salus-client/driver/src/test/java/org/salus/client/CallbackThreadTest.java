package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.salus.client.nio.AsynchronousVolumeChannel;
import org.salus.client.nio.VolumeChannel;

/**
 * Whoever waits for a request needs no turn on the callback executor, which may have one thread:
 * his own. On the thread that answers requests he is told that he must not wait.
 */
class CallbackThreadTest {
  private static final int BLOCK = 4096;
  private static final long MEMORY = 64 << 10;
  private static final byte DATA = 7;

  /** What waits for a turn that never comes. */
  private final List<Runnable> callbacks = new ArrayList<>();

  private final MemoryClient c = MemoryClient.opened(callbacks::add, MEMORY);
  private final ByteBuffer dst = ByteBuffer.allocate(BLOCK);

  CallbackThreadTest() throws Exception {
    assertThat(c.write(5, DATA).isDone()).isTrue();
  }

  /** Runs a call on the one thread of callbacks, while the loop runs. */
  private <T> T onCallbackThread(Supplier<T> call) throws Exception {
    c.loop.isForeign = true;
    CompletableFuture<T> called = CompletableFuture.supplyAsync(call);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!called.isDone() && System.nanoTime() < end) {
      c.loop.settle();
    }
    return called.get(0, TimeUnit.SECONDS);
  }

  private interface ChannelCall<T> {
    T run() throws IOException;
  }

  private static <T> Supplier<T> unchecked(ChannelCall<T> call) {
    return () -> {
      try {
        return call.run();
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    };
  }

  @Test
  void waitForAWriteInPartsNeedsNoTurn() throws Exception {
    ByteBuffer src = ByteBuffer.allocate(100 * BLOCK);
    assertThat(onCallbackThread(() -> c.volume.write(0, src).join())).isNull();
    assertThat(c.volume.statistics().writes()).isGreaterThan(100 * BLOCK / MEMORY);
  }

  @Test
  void callbacksOfAWriteInPartsRunOnTheirExecutor() throws Exception {
    c.loop.isForeign = true;
    ByteBuffer src = ByteBuffer.allocate(8 * BLOCK);
    CompletableFuture<Void> write = c.volume.write(0, src);
    List<String> ran = new ArrayList<>();
    write.thenRun(() -> ran.add("callback"));
    c.loop.settle();
    assertThat(write.isDone()).isTrue();
    assertThat(ran).isEmpty();
    callbacks.forEach(Runnable::run);
    assertThat(ran).containsExactly("callback");
  }

  @Test
  void waitForExtentsNeedsNoTurnAndIsRefusedOnTheLoop() throws Exception {
    CompletableFuture<List<Volume.Extent>> asked = c.volume.extents(0, BLOCK);
    assertThatThrownBy(asked::join).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> asked.get(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(IllegalStateException.class);
    c.loop.settle();
    assertThat(asked.join()).containsExactly(new Volume.Extent(0, BLOCK, false));
    assertThat(onCallbackThread(() -> c.volume.extents(BLOCK, BLOCK).join()))
        .containsExactly(new Volume.Extent(BLOCK, BLOCK, true));
    assertThat(c.volume.extents(5, 0).join()).isEmpty();
  }

  @Test
  void cancelOfExtentsEndsTheRequest() {
    c.members.silent = true;
    CompletableFuture<List<Volume.Extent>> asked = c.volume.extents(0, BLOCK);
    assertThat(asked.cancel(true)).isTrue();
    c.loop.settle();
    assertThat(c.volume.statistics().outstandingRequests()).isZero();
  }

  @Test
  void channelNeedsNoTurn() throws Exception {
    VolumeChannel channel = new VolumeChannel(c.volume);
    assertThat(onCallbackThread(unchecked(() -> channel.write(ByteBuffer.allocate(2), 0))))
        .isEqualTo(2);
    assertThat(onCallbackThread(unchecked(() -> channel.read(dst)))).isEqualTo(BLOCK);
    assertThat(dst.get(5)).isEqualTo(DATA);
    onCallbackThread(
        unchecked(
            () -> {
              channel.force(true);
              channel.close();
              return null;
            }));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void channelOnTheLoopRefusesToWaitAndGivesTheBufferBack() {
    VolumeChannel channel = new VolumeChannel(c.volume);
    ByteBuffer[] two = {ByteBuffer.allocate(BLOCK), dst};
    assertThatThrownBy(() -> channel.read(dst, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callback executor");
    assertThatThrownBy(() -> channel.read(two)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(9)))
        .isInstanceOf(IllegalStateException.class);
    c.loop.settle();
    assertThat(dst.get(5)).isZero();
    assertThat(two[0].get(5)).isZero();
    assertThat(c.read(5)).as("the write was not performed").isEqualTo(DATA);
  }

  @Test
  void asynchronousChannelNeedsNoTurnAndRefusesToWaitOnTheLoop() throws Exception {
    AsynchronousVolumeChannel channel = new AsynchronousVolumeChannel(c.volume);
    CompletableFuture<Integer> read = channel.read(dst, 0);
    assertThatThrownBy(read::join).isInstanceOf(IllegalStateException.class);
    c.loop.settle();
    assertThat(read.isDone()).isTrue();
    assertThat(read.join()).isEqualTo(BLOCK);
    assertThat(dst.position()).isEqualTo(BLOCK);
    assertThat(dst.get(5)).isEqualTo(DATA);
    assertThat(onCallbackThread(() -> channel.read(dst.clear(), BLOCK).join())).isEqualTo(BLOCK);
  }

  @Test
  void requestThatTimesOutForItsCallerIsSeenAtOnce() {
    c.members.silent = true;
    CompletableFuture<Void> write = c.volume.write(0, ByteBuffer.allocate(1));
    write.orTimeout(1, TimeUnit.MILLISECONDS);
    while (!write.isDone()) {
      Thread.onSpinWait();
    }
    assertThat(write.isCompletedExceptionally()).isTrue();
    assertThat(failure(write)).isInstanceOf(TimeoutException.class);
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
  }
}
