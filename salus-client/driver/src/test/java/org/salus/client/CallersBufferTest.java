package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a caller does to its buffer and to its future does no harm, over members in memory. */
class CallersBufferTest {
  private static final int BLOCK = 4096;
  private static final byte OLD = 1;
  private static final byte NEW = 2;
  private static final byte FOREIGN = 99;

  /** The ways in which a caller may end a request for itself. */
  private enum End {
    CANCEL(f -> f.cancel(true)),
    TIME_OUT(f -> CallersBufferTest.await(f.orTimeout(1, TimeUnit.MILLISECONDS)));

    private final Consumer<CompletableFuture<Void>> act;

    End(Consumer<CompletableFuture<Void>> act) {
      this.act = act;
    }
  }

  private static void await(CompletableFuture<Void> ended) {
    ended.handle((done, failed) -> done).join();
  }

  private static byte[] bytes(int length, byte value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, value);
    return bytes;
  }

  /** Asserts that every member has the block as it should be. */
  private static void assertOnAllReplicas(MemoryClient c, long block, byte... oneOf) {
    for (int lane = 0; lane < 3; lane++) {
      c.members.reader = lane;
      ByteBuffer into = ByteBuffer.allocate(BLOCK);
      CompletableFuture<Void> read = c.volume.read(block * BLOCK, into);
      c.loop.advance(Duration.ofSeconds(1));
      assertThat(read).as("block %d at member %d", block, lane).isCompleted();
      assertThat(into.array()).containsOnly(into.get(0));
      assertThat(oneOf).contains(into.get(0));
    }
    c.members.reader = -1;
  }

  /** Some writes are sent, others wait in the session for an answer, when the callers give up. */
  @ParameterizedTest
  @EnumSource
  void writeThatItsCallerEndedSendsTheBytesOfTheCallOrNothing(End how) throws Exception {
    int blocks = 40;
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, ByteBuffer.wrap(bytes(blocks * BLOCK, OLD)));
    c.loop.settle();
    c.members.silent = true;
    List<byte[]> buffers = new ArrayList<>();
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      byte[] buffer = bytes(BLOCK, NEW);
      buffers.add(buffer);
      writes.add(c.volume.write((long) block * BLOCK, ByteBuffer.wrap(buffer)));
      c.loop.settle();
    }
    writes.forEach(how.act);
    buffers.forEach(b -> Arrays.fill(b, FOREIGN));
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    for (int block = 0; block < blocks; block++) {
      assertOnAllReplicas(c, block, OLD, NEW);
    }
  }

  @ParameterizedTest
  @EnumSource
  void readThatItsCallerEndedWritesNothingMore(End how) throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, ByteBuffer.wrap(bytes(4 * BLOCK, OLD)));
    c.loop.settle();
    ByteBuffer alone = ByteBuffer.allocate(BLOCK);
    ByteBuffer unaligned = ByteBuffer.allocate(BLOCK);
    ByteBuffer merged = ByteBuffer.allocate(BLOCK);
    ByteBuffer right = ByteBuffer.allocate(BLOCK);
    List<CompletableFuture<Void>> reads =
        List.of(
            c.volume.read(0, alone),
            c.volume.read(BLOCK / 2, unaligned),
            c.volume.read(2 * BLOCK, merged));
    CompletableFuture<Void> neighbour = c.volume.read(3 * BLOCK, right);
    reads.forEach(how.act);
    c.loop.settle();
    assertThat(List.of(alone, unaligned, merged))
        .allSatisfy(
            b -> {
              assertThat(b.array()).containsOnly(0);
              assertThat(b.position()).isZero();
            });
    assertThat(neighbour).isCompleted();
    assertThat(right.array()).containsOnly(OLD);
  }

  /** A derived future does not end the request: its buffer stays in use until it is done. */
  @Test
  void futureDerivedFromARequestEndsNothing() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, ByteBuffer.wrap(bytes(BLOCK, OLD)));
    ByteBuffer into = ByteBuffer.allocate(BLOCK);
    CompletableFuture<Void> read = c.volume.read(0, into);
    read.copy().cancel(true);
    c.loop.settle();
    assertThat(read).isCompleted();
    assertThat(into.array()).containsOnly(OLD);
  }

  @Test
  void positionAndLimitCountAsTheyWereAtTheCall() throws Exception {
    MemoryClient c = MemoryClient.opened();
    ByteBuffer src = ByteBuffer.wrap(bytes(3 * BLOCK, NEW)).position(BLOCK).limit(2 * BLOCK);
    CompletableFuture<Void> written = c.volume.write(0, src);
    src.position(0).limit(100);
    c.loop.settle();
    assertThat(written).isCompleted();
    ByteBuffer dst = ByteBuffer.allocate(3 * BLOCK).position(BLOCK);
    CompletableFuture<Void> read = c.volume.read(0, dst);
    dst.clear().limit(100);
    c.loop.settle();
    assertThat(read).isCompleted();
    assertThat(dst.array()).startsWith(new byte[BLOCK]);
    assertThat(Arrays.copyOfRange(dst.array(), BLOCK, 2 * BLOCK)).containsOnly(NEW);
    assertOnAllReplicas(c, 0, NEW);
    assertOnAllReplicas(c, 1, (byte) 0);
  }

  /** Another thread scribbles over the buffers while the volume hashes and sends. */
  @Test
  void everyBlockIsOldOrNewWhateverAnotherThreadDoesToTheBuffers() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    MemoryClient c = MemoryClient.opened();
    int blocks = 64;
    c.volume.write(0, ByteBuffer.wrap(bytes(blocks * BLOCK, OLD)));
    c.loop.settle();
    List<byte[]> buffers = new ArrayList<>();
    for (int block = 0; block < blocks; block++) {
      byte[] buffer = bytes(BLOCK, NEW);
      CompletableFuture<Void> written =
          c.volume.write((long) block * BLOCK, ByteBuffer.wrap(buffer));
      if (random.nextBoolean()) {
        End.values()[random.nextInt(End.values().length)].act.accept(written);
      }
      buffers.add(buffer);
    }
    Thread scribbler = new Thread(() -> scribble(buffers));
    scribbler.start();
    while (scribbler.isAlive()) {
      c.loop.settle();
    }
    for (int block = 0; block < blocks; block++) {
      assertOnAllReplicas(c, block, OLD, NEW);
    }
    assertThat(buffers).as("seed %d", seed).allMatch(b -> b[0] == FOREIGN);
  }

  private static void scribble(List<byte[]> buffers) {
    for (int i = 0; i < BLOCK; i++) {
      for (byte[] buffer : buffers) {
        buffer[BLOCK - 1 - i] = FOREIGN;
      }
    }
  }

  @Test
  void onlyTheVolumeCompletesARequest() throws Exception {
    MemoryClient c = MemoryClient.opened();
    ByteBuffer into = ByteBuffer.allocate(BLOCK);
    CompletableFuture<Void> read = c.volume.read(0, into);
    List<Runnable> tries =
        List.of(
            () -> read.complete(null),
            () -> read.completeExceptionally(new TimeoutException()),
            () -> read.completeAsync(() -> null),
            () -> read.completeOnTimeout(null, 1, TimeUnit.MILLISECONDS),
            () -> read.obtrudeValue(null),
            () -> read.obtrudeException(new TimeoutException()));
    tries.forEach(
        t -> assertThatThrownBy(t::run).isInstanceOf(UnsupportedOperationException.class));
    assertThat(read).isNotDone();
    c.loop.settle();
    assertThat(read).isCompleted();
  }

  @Test
  void changeIsCancelledBeforeItIsSentAndNotAfter() throws Exception {
    MemoryClient c = MemoryClient.opened();
    CompletableFuture<Void> early = c.volume.write(0, ByteBuffer.wrap(bytes(BLOCK, NEW)));
    assertThat(early.cancel(true)).isTrue();
    assertThat(early).isCancelled();
    c.loop.settle();
    assertOnAllReplicas(c, 0, (byte) 0);
    c.members.silent = true;
    CompletableFuture<Void> sent = c.volume.write(0, ByteBuffer.wrap(bytes(BLOCK, NEW)));
    c.loop.settle();
    assertThat(sent.cancel(true)).isFalse();
    assertThat(sent).isNotDone();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(sent).isCompleted();
    assertThat(sent.cancel(true)).isFalse();
    assertOnAllReplicas(c, 0, NEW);
  }

  /** Its memory is given back only when nothing is written into the buffer any more. */
  @Test
  void readThatItsCallerEndedIsOutstandingUntilItIsOver() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, ByteBuffer.wrap(bytes(BLOCK, OLD)));
    c.loop.settle();
    c.members.silent = true;
    CompletableFuture<Void> read = c.volume.read(0, ByteBuffer.allocate(BLOCK));
    c.loop.settle();
    assertThat(read.cancel(true)).isTrue();
    assertThat(c.volume.statistics().outstandingRequests()).isEqualTo(1);
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.volume.statistics().outstandingRequests()).isZero();
  }
}
