package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;
import static org.salus.client.MemoryClient.reason;

import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.salus.client.nio.AsynchronousVolumeChannel;
import org.salus.core.effect.SessionEffect;

/** What goes wrong in a request or a volume harms nothing else, and loses no future. */
class NoCallStopsAClientTest {
  private static final int BLOCK = 4096;

  private static ByteBuffer data(int length, int value) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void blockBeyondTheBufferFailsTheReadAndTouchesNothing() {
    ByteBuffer dst = ByteBuffer.allocate(64);
    ReadOperation read = new ReadOperation(BLOCK, 40L * BLOCK - 32, dst);
    read.put(0, data(BLOCK, 1));
    read.put(BLOCK, data(BLOCK, 2));
    assertThat(dst.array()).startsWith(1, 1).endsWith(2, 2);
    read.put((1L << 31) - BLOCK, data(BLOCK, 3));
    assertThat(failure(read.result)).isInstanceOf(SalusException.Failed.class);
    assertThat(dst.array()).doesNotContain(3);
  }

  @Test
  void requestWhoseBufferIsGoneFailsAlone() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, data(2 * BLOCK, 1));
    c.loop.settle();
    ReadOperation gone = new ReadOperation(BLOCK, 0, data(BLOCK, 0).asReadOnlyBuffer());
    c.requests.add(gone);
    ByteBuffer dst = ByteBuffer.allocate(BLOCK);
    CompletableFuture<Void> neighbour = c.volume.read(BLOCK, dst);
    c.loop.settle();
    assertThat(failure(gone.result)).isInstanceOf(SalusException.Failed.class);
    assertThat(neighbour).isCompleted();
    assertThat(dst.array()).containsOnly(1);
    assertThat(c.write(5, 7)).isCompleted();
  }

  @Test
  void bugEndsTheVolumeAndEveryRequestOfIt() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.members.silent = true;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    List<CompletableFuture<Void>> changes =
        List.of(
            c.volume.write(0, data(BLOCK, 2)),
            c.volume.write(BLOCK + 7, data(20, 2)),
            c.volume.flush());
    all.add(c.volume.read(0, ByteBuffer.allocate(BLOCK)));
    c.loop.settle();
    c.members.bug = new AssertionError("planted");
    all.add(c.volume.read(0, ByteBuffer.allocate(BLOCK)));
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(changes)
        .allSatisfy(f -> assertThat(reason(f)).isInstanceOf(SalusException.Broken.class));
    assertThat(all)
        .allSatisfy(
            f ->
                assertThat(failure(f))
                    .isInstanceOf(SalusException.Broken.class)
                    .hasMessageContaining("volume disk", "planted")
                    .hasCause(c.members.bug));
    assertThat(c.volume.isOver()).isTrue();
    assertThat(c.store.writer()).as("the lease is given back").isZero();
    assertThat(c.members.sessions()).isEmpty();
    assertThat(failure(c.beginRead(0))).isInstanceOf(SalusException.Broken.class);
    assertThat(c.volume.statistics().outstandingRequests()).isZero();
  }

  @Test
  void wantOfMemoryOnTheLoopEndsTheVolumeInTheSameWay() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.members.bug = new OutOfMemoryError("planted");
    CompletableFuture<Void> write = c.volume.write(0, data(BLOCK, 2));
    c.loop.settle();
    assertThat(reason(write)).isInstanceOf(SalusException.Broken.class).hasCause(c.members.bug);
    c.members.bug = null;
    MemoryClient next = MemoryClient.opened();
    assertThat(next.write(5, 1)).as("others go on").isCompleted();
  }

  /** It is met while an answer is taken, inside of a future. */
  @Test
  void bugInAnOperationEndsTheVolumeToo() throws Exception {
    MemoryClient c = MemoryClient.opened();
    Operation<?> broken =
        new Operation<Void>(BLOCK, 0, 0) {
          @Override
          Kind kind() {
            return Kind.FLUSH;
          }

          @Override
          CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
            return session.flush();
          }

          @Override
          void done(SessionEffect.Outcome e) {
            throw new IllegalStateException("planted");
          }
        };
    CompletableFuture<Void> read = c.volume.read(0, ByteBuffer.allocate(1));
    c.members.silent = true;
    CompletableFuture<Void> write = c.volume.write(0, data(BLOCK, 1));
    c.loop.execute(() -> c.requests.add(broken));
    c.loop.settle();
    assertThat(read).isCompleted();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.volume.isOver()).isTrue();
    assertThat(write).isDone();
    assertThat(failure(c.beginRead(0))).isInstanceOf(SalusException.Broken.class);
  }

  @Test
  void bugWhileMountingFailsTheOpen() throws Exception {
    MemoryClient c = new MemoryClient();
    c.members.bug = new AssertionError("planted");
    c.open();
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(failure(c.host.opened())).isInstanceOf(SalusException.Broken.class);
    assertThat(c.store.writer()).isZero();
  }

  // ---- memory ----

  private static final long MEMORY = 64 << 10;

  @Test
  void callOnTheLoopFailsWhereThereIsNoMemoryAndLaterOnesWork() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, MEMORY);
    c.members.silent = true;
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      writes.add(c.volume.write((long) i * BLOCK, data(BLOCK, 1)));
    }
    c.loop.settle();
    List<CompletableFuture<Void>> refused =
        writes.stream().filter(CompletableFuture::isCompletedExceptionally).toList();
    assertThat(refused).hasSize(8);
    refused.forEach(
        f ->
            assertThat(failure(f))
                .isInstanceOf(SalusException.Overloaded.class)
                .hasMessageContaining("salus.client.outstanding.bytes"));
    assertThat(c.volume.statistics().outstandingBytes()).isLessThanOrEqualTo(MEMORY);
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(2));
    writes.removeAll(refused);
    assertThat(writes).allMatch(f -> f.isDone() && !f.isCompletedExceptionally());
    assertThat(c.write(5, 1)).isCompleted();
  }

  @Test
  void callOfAnotherThreadWaitsUntilRequestsHaveEnded() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, MEMORY);
    c.loop.isForeign = true;
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    Thread producer =
        new Thread(
            () -> {
              for (int i = 0; i < 200; i++) {
                writes.add(c.volume.write((long) i * BLOCK, data(BLOCK, i + 1)));
              }
            });
    producer.start();
    while (producer.isAlive()) {
      c.loop.settle();
      assertThat(c.volume.statistics().outstandingBytes()).isLessThanOrEqualTo(MEMORY);
    }
    c.loop.settle();
    assertThat(writes).hasSize(200).allMatch(f -> f.isDone() && !f.isCompletedExceptionally());
    assertThat(c.read(199L * BLOCK)).isEqualTo((byte) 200);
  }

  @Test
  void interruptEndsTheWaitForMemory() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, BLOCK);
    c.loop.isForeign = true;
    c.volume.write(0, data(BLOCK, 1));
    Thread.currentThread().interrupt();
    CompletableFuture<Void> refused = c.volume.write(BLOCK, data(BLOCK, 1));
    assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
    assertThat(failure(refused)).isInstanceOf(SalusException.Overloaded.class);
  }

  @Test
  void writeThatIsLargerThanTheMemoryIsCut() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, MEMORY);
    c.loop.isForeign = true;
    int length = 100 * BLOCK;
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 31 + i / BLOCK);
    }
    CompletableFuture<CompletableFuture<Void>> called =
        CompletableFuture.supplyAsync(() -> c.volume.write(100, ByteBuffer.wrap(bytes)));
    while (!called.isDone()) {
      c.loop.settle();
    }
    c.loop.settle();
    assertThat(called.join()).isCompleted();
    ByteBuffer dst = ByteBuffer.allocate(length);
    CompletableFuture<Void> read = c.volume.read(100, dst);
    c.loop.settle();
    assertThat(read).isCompleted();
    assertThat(dst.array()).isEqualTo(bytes);
    assertThat(c.volume.statistics().writes()).isGreaterThan(1);
    assertThat(c.volume.statistics().writtenBytes()).isEqualTo(length);
    assertThat(c.volume.statistics().outstandingBytes()).isZero();
  }

  @Test
  void cutWriteFailsWhenAPartDoes() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, 16 * MEMORY);
    c.loop.isForeign = true;
    c.members.silent = true;
    CompletableFuture<Void> write = c.volume.write(0, ByteBuffer.allocate(300 << 10));
    assertThat(c.volume.statistics().outstandingRequests()).isGreaterThan(1);
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(reason(write)).isInstanceOf(SalusException.TimedOut.class);
    assertThat(c.volume.statistics().failures()).isGreaterThan(1);
  }

  @Test
  void positionsAndLimitsOfBuffersStay() throws Exception {
    MemoryClient c = MemoryClient.opened();
    ByteBuffer src = data(3 * BLOCK, 1).position(10).limit(BLOCK);
    ByteBuffer dst = ByteBuffer.allocate(3 * BLOCK).position(10).limit(BLOCK);
    c.volume.write(0, src);
    c.loop.settle();
    c.volume.read(0, dst);
    c.loop.settle();
    assertThat(List.of(src, dst)).allMatch(b -> b.position() == 10 && b.limit() == BLOCK);
    assertThat(dst.get(10)).isEqualTo((byte) 1);
  }

  @Test
  void statisticsCountWhatEnded() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.volume.write(0, data(100, 1));
    c.volume.read(0, ByteBuffer.allocate(50));
    c.volume.read(0, ByteBuffer.allocate(7));
    c.volume.writeZeroes(0, 2 * BLOCK, false);
    c.volume.flush();
    c.loop.settle();
    assertThat(c.volume.statistics())
        .usingRecursiveComparison()
        .ignoringFields("slow") // by the machine's clock
        .isEqualTo(new VolumeStatistics(0, 0, Duration.ZERO, 2, 57, 1, 100, 1, 2 * BLOCK, 1, 0, 0));
  }

  @Test
  void threadThatAnswersRequestsDoesNotWaitForThem() throws Exception {
    MemoryClient c = MemoryClient.opened();
    CompletableFuture<Void> read = c.volume.read(0, ByteBuffer.allocate(1));
    assertThatThrownBy(read::join)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callback executor");
    assertThatThrownBy(read::get).isInstanceOf(IllegalStateException.class);
    c.loop.settle();
    assertThat(read.join()).isNull();
  }

  @Test
  void callbacksRunOnTheirExecutorAndMayWaitThere() throws Exception {
    List<Runnable> tasks = new ArrayList<>();
    MemoryClient c = MemoryClient.opened(tasks::add, MEMORY);
    List<String> ran = new ArrayList<>();
    CompletableFuture<Void> write = c.volume.write(0, data(BLOCK, 1));
    write.thenRun(() -> ran.add("callback"));
    c.loop.settle();
    assertThat(c.volume.statistics().outstandingRequests()).isZero();
    assertThat(write.join()).as("who waits needs no turn there").isNull();
    assertThat(ran).isEmpty();
    assertThat(tasks).hasSize(1);
    tasks.remove(0).run();
    assertThat(ran).containsExactly("callback");
    assertThat(write).isCompleted();
  }

  @Test
  void executorThatRefusesTasksLosesNoFuture() throws Exception {
    MemoryClient c =
        MemoryClient.opened(
            task -> {
              throw new CompletionException("refused", null);
            },
            MEMORY);
    CompletableFuture<Void> write = c.volume.write(0, data(BLOCK, 1));
    c.loop.settle();
    assertThat(write).isCompleted();
    List<Object> told = new ArrayList<>();
    new AsynchronousVolumeChannel(c.volume)
        .write(
            data(2, 1),
            0,
            null,
            new CompletionHandler<>() {
              @Override
              public void completed(Integer n, Object attachment) {
                told.add(n);
              }

              @Override
              public void failed(Throwable why, Object attachment) {
                told.add(why);
              }
            });
    c.loop.settle();
    assertThat(told).containsExactly(2);
  }
}
