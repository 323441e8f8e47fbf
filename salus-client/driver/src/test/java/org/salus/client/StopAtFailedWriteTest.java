package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.client.MemoryClient.failure;
import static org.salus.client.MemoryClient.reason;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.block.ReadTarget;

/** A volume that stops at the first change that fails, over members in memory. */
class StopAtFailedWriteTest {
  private static final int BLOCK = 4096;
  private static final long MEMORY = 64 << 10;

  private static ByteBuffer data(int length, int value) {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  private static void assertStopped(MemoryClient c, CompletableFuture<Void> call) {
    c.loop.settle();
    assertThat(failure(call)).isInstanceOf(SalusException.Stopped.class);
  }

  @Test
  void volumeEndsAtItsFirstFailureAndGivesItsLeaseBack() throws Exception {
    MemoryClient c = MemoryClient.stopping(MEMORY);
    assertThat(c.write(5, 1)).isCompleted();
    c.members.silent = true;
    CompletableFuture<Void> lost = c.volume.write(0, data(BLOCK, 2));
    CompletableFuture<Void> behind = c.volume.write(BLOCK, data(BLOCK, 3));
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(reason(lost)).isInstanceOf(SalusException.TimedOut.class);
    assertThat(reason(behind)).as("it was sent").isInstanceOf(SalusException.TimedOut.class);
    assertStopped(c, c.volume.write(0, data(BLOCK, 4)));
    assertStopped(c, c.volume.writeZeroes(0, BLOCK, false));
    assertStopped(c, c.volume.flush());
    assertStopped(c, c.volume.read(0, ByteBuffer.allocate(1)));
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(10));
    assertThat(c.volume.over())
        .isCompletedWithValueMatching(SalusException.Stopped.class::isInstance);
    assertThat(c.store.writer()).as("the lease was given back").isZero();
    assertThat(c.members.sessions()).as("it is not mounted again").isEmpty();
    assertStopped(c, c.volume.write(0, data(BLOCK, 4)));
    c.volume.close();
  }

  /** Otherwise the flush would be done after the next mount, and the write would not be there. */
  @Test
  void flushBehindAWriteThatFoundNoRoomFailsToo() throws Exception {
    MemoryClient c = MemoryClient.stopping(MEMORY);
    c.members.refusesChanges = true;
    CompletableFuture<Void> write = c.volume.write(0, data(BLOCK, 2));
    CompletableFuture<Void> flush = c.volume.flush();
    c.loop.settle();
    c.members.refusesChanges = false;
    c.loop.advance(Duration.ofSeconds(30));
    assertThat(reason(write)).isInstanceOf(SalusException.NoSpace.class);
    assertThat(failure(flush)).isInstanceOf(SalusException.UnknownOutcome.class);
  }

  @Test
  void writeWithoutMemoryStopsLaterOnesAndEarlierOnesGoOn() throws Exception {
    MemoryClient c = MemoryClient.stopping(3 * BLOCK);
    CompletableFuture<Void> first = c.volume.write(0, data(BLOCK, 1));
    CompletableFuture<Void> second = c.volume.write(BLOCK, data(BLOCK, 2));
    CompletableFuture<Void> refused = c.volume.write(2 * BLOCK, data(BLOCK, 3));
    assertThat(failure(refused)).isInstanceOf(SalusException.Overloaded.class);
    CompletableFuture<Void> small = c.volume.flush();
    c.loop.settle();
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertStopped(c, small);
    assertStopped(c, c.volume.write(3 * BLOCK, data(BLOCK, 4)));
    assertThat(c.volume.isOver()).isTrue();
  }

  @Test
  void writeOfWhichOnlyTheBeginningHasMemoryIsInDoubt() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, MEMORY);
    CompletableFuture<Void> whole = c.volume.write(0, data((int) (2 * MEMORY), 1));
    assertThat(whole).isNotDone();
    c.loop.settle();
    assertThat(reason(whole))
        .isInstanceOf(SalusException.Failed.class)
        .hasMessageContaining("only the first");
    assertThat(c.read(0)).isEqualTo(1);
  }

  @Test
  void writeOfWhichNoPartWasSentIsNotPerformed() throws Exception {
    MemoryClient c = MemoryClient.opened(Runnable::run, 16 * MEMORY);
    c.store.loseSession();
    c.loop.settle();
    CompletableFuture<Void> whole = c.volume.write(0, ByteBuffer.allocate(300 << 10));
    assertThat(c.volume.statistics().outstandingRequests()).isGreaterThan(1);
    c.volume.abandon();
    c.loop.settle();
    assertThat(failure(whole)).isInstanceOf(SalusException.Closed.class);
  }

  /** Whatever fails at whatever time, the volume is as after a prefix of the calls. */
  @Test
  void volumeIsAsAfterAPrefixOfTheCalls() throws Exception {
    int cut = 0;
    for (int seed = 0; seed < 60; seed++) {
      cut += writesUpTo(new Random(seed)) < WRITES ? 1 : 0;
    }
    assertThat(cut).as("runs in which something failed").isGreaterThan(30);
  }

  private static final int WRITES = 60;

  /** Returns how many of the writes, each to a block of its own, took effect. */
  private static int writesUpTo(Random random) throws Exception {
    MemoryClient c = MemoryClient.stopping(MEMORY);
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      boolean whole = random.nextBoolean();
      writes.add(c.volume.write(i * (long) BLOCK + (whole ? 0 : 7), data(whole ? BLOCK : 9, 1)));
      switch (random.nextInt(40)) {
        case 0 -> c.members.silent = true;
        case 1 -> c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
        case 2 -> c.store.loseSession();
        case 3 -> c.members.refusesChanges = true;
        default -> {}
      }
      if (random.nextInt(3) == 0) {
        c.loop.settle();
      }
      if (random.nextInt(10) == 0) {
        c.members.silent = false;
        c.store.forgetSession();
        c.loop.advance(Duration.ofSeconds(2));
      }
    }
    c.members.silent = false;
    c.members.refusesChanges = false;
    c.store.forgetSession();
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT.multipliedBy(3));
    RecordingListener heard = new RecordingListener();
    SessionHost reader = c.mountAs(1_000, heard);
    int taken = 0;
    for (int i = 0; i < WRITES; i++) {
      boolean there = byteOf(c, reader, i) == 1;
      CompletableFuture<Void> write = writes.get(i);
      assertThat(write).isDone();
      if (!write.isCompletedExceptionally()) {
        assertThat(there).as("acknowledged write %d", i).isTrue();
      } else if (!(failure(write) instanceof SalusException.UnknownOutcome)) {
        assertThat(there).as("write %d, which failed without effect", i).isFalse();
      }
      assertThat(!there || taken == i).as("write %d without one before it", i).isTrue();
      taken += there ? 1 : 0;
    }
    return taken;
  }

  /** The ninth byte of a block. */
  private static byte byteOf(MemoryClient c, SessionHost reader, long block) {
    ByteBuffer dst = ByteBuffer.allocate(BLOCK);
    CompletableFuture<SessionEffect.Outcome> read = reader.read(block, 1, ReadTarget.of(dst));
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(read).isCompletedWithValueMatching(SessionEffect.Done.class::isInstance);
    return dst.get(8);
  }
}
